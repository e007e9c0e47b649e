import Expressions
import Values

extension DocumentReader {
  /// The maximum number of errors reported for one text. More are not useful, and locating each takes time proportional to the length of the text.
  private static let mostProblems = 50

  private func report(_ problems: [ExpressionError], in node: YAMLNode, offset: Int) {
    for problem in problems.prefix(Self.mostProblems) { report(problem, in: node, offset: offset) }
  }

  /// Reads a text that may contain expressions; adds its site to `sites`, even if some expressions are invalid.
  func template(
    _ node: YAMLNode, _ what: String, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> Template? {
    guard let text = text(node, what) else { return nil }
    return template(text: text, node, use, into: &sites)
  }

  /// Reads a text that was already taken from `node`.
  func template(
    text: String, _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> Template {
    guard Self.expressionOffset(in: text) != nil else { return Template(literal: text) }
    let (template, problems) = Template.read(text)
    report(problems, in: node, offset: 0)
    sites.append(ExpressionSite(body: .template(template), node: node, use: use))
    return template
  }

  /// Reads an expression, written bare or as one `${{ }}`.
  func expression(
    _ node: YAMLNode, _ what: String, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> Expression? {
    guard let text = text(node, what) else { return nil }
    // White space around `${{ }}`, such as the line break at the end of a block scalar, is ignored.
    let lead = text.unicodeScalars.prefix(while: Self.isBlank).count
    let trimmed = Self.trimmed(text)
    guard Self.expressionOffset(in: text) != nil else {
      let (expression, problems) = Expression.read(trimmed)
      report(problems, in: node, offset: lead)
      sites.append(ExpressionSite(body: .expression(expression, offset: lead), node: node, use: use))
      return expression
    }
    let (template, problems) = Template.read(trimmed)
    report(problems, in: node, offset: lead)
    guard case .expression(let whole, let inner)? = template.segments.first, template.segments.count == 1 else {
      error(
        .mixedExpression, "\(what) is one expression, but there is text around '${{ }}' here", at: node.range,
        fix: "put the whole condition inside '${{ }}'")
      sites.append(ExpressionSite(body: .part(template, offset: lead), node: node, use: use))
      return nil
    }
    sites.append(ExpressionSite(body: .expression(whole, offset: lead + inner), node: node, use: use))
    return whole
  }

  /// Reads data that may contain expressions in its strings.
  func data(
    _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> DataTemplate {
    switch node.content {
    case .scalar(let text, _):
      guard Self.expressionOffset(in: text) != nil else { return .literal(literal(node, text)) }
      return .template(template(text: text, node, use, into: &sites))
    case .sequence(let items):
      let elements = items.map { data($0, use, into: &sites) }
      if let literals = Self.literals(elements) { return .literal(.array(literals)) }
      return .array(elements)
    case .mapping(let entries):
      let members = entries.map { (name: $0.name, value: data($0.value, use, into: &sites)) }
      guard let literals = Self.literals(members.map(\.value)) else { return .object(members) }
      return .literal(.object(.init(zip(members.map(\.name), literals)) { first, _ in first }))
    }
  }

  /// Returns the value of a scalar without an expression.
  private func literal(_ node: YAMLNode, _ text: String) -> JSONValue {
    let value = node.coreScalar ?? .null
    if let problem = value.problemBeyondJSON {
      error(
        .invalidNumber, "the value \(problem)", at: node.range,
        fix: "put it in quotes to have it as text: \"\(text)\"")
    }
    return value
  }

  /// Reads data with the position of its sites.
  func placedData(
    _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> PlacedData {
    let (first, known) = (sites.count, diagnostics.count)
    let data = data(node, use, into: &sites)
    return PlacedData(
      data: data, node: node, firstSite: first, isFaulty: node.isFaulty || diagnostics.count > known)
  }

  /// Reads an expression, written bare or as one `${{ }}`, as placed data. If the text is not an expression, calls `refuse` with what to write instead.
  func placedExpression(
    _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite], refuse: (String?) -> Void
  ) -> PlacedData? {
    guard let text = node.text else {
      refuse(nil)
      return nil
    }
    if Self.expressionOffset(in: text) != nil { return placedData(node, use, into: &sites) }
    // A number or nothing is data, and so is a word that is not the name of a context.
    guard node.coreScalar?.stringValue != nil, !isNull(node) else {
      refuse(nil)
      return nil
    }
    let trimmed = Self.trimmed(text)
    let (expression, problems) = Expression.read(trimmed)
    let isWord = trimmed.unicodeScalars.allSatisfy {
      $0 == "_" || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
    }
    guard problems.isEmpty, !isWord || ContextName.all.contains(trimmed.lowercased()) else {
      refuse("write it as [\(trimmed)], or as an expression such as results.\(isWord ? trimmed : "name")")
      return nil
    }
    let (first, lead) = (sites.count, text.unicodeScalars.prefix(while: Self.isBlank).count)
    sites.append(ExpressionSite(body: .expression(expression, offset: lead), node: node, use: use))
    return PlacedData(
      data: .template(Template(expression: expression)), node: node, firstSite: first, isFaulty: node.isFaulty)
  }

  /// Combines separately read elements into a list.
  static func list(of elements: [DataTemplate]) -> DataTemplate {
    literals(elements).map { .literal(.array($0)) } ?? .array(elements)
  }

  /// Reads a template as placed data.
  func placedTemplate(
    _ node: YAMLNode, _ what: String, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> (template: Template, placed: PlacedData)? {
    let first = sites.count
    guard let template = template(node, what, use, into: &sites) else { return nil }
    return (template, PlacedData(data: Self.data(template), node: node, firstSite: first))
  }

  /// Reports an error in an expression that starts `offset` Unicode scalars into the text of `node`.
  func report(_ failure: ExpressionError, in node: YAMLNode, offset: Int) {
    report(
      failure, at: range(in: node, offset: offset + max(failure.position, 1) - 1, length: max(failure.length, 1)))
  }

  private static func data(_ template: Template) -> DataTemplate {
    template.isLiteral ? .literal(.string(template.text)) : .template(template)
  }

  private static func literals(_ elements: [DataTemplate]) -> [JSONValue]? {
    var values: [JSONValue] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      guard case .literal(let value) = element else { return nil }
      values.append(value)
    }
    return values
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}
