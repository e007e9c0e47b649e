/// The templates of a pipeline and its included files, and their use in operations.
final class TemplateUse {
  /// The maximum number of nodes that all operations and templates together may take from templates.
  static let maximumNodes = 1_000_000
  /// The maximum depth of templates that extend one another.
  static let maximumDepth = 20

  private struct Template {
    let entry: YAMLEntry
    /// The position of its file.
    let file: Int
    /// Whether neither it nor the templates it extends have errors, regardless of where it is used.
    var isSound: Bool
    /// The number of templates in its chain, including itself.
    var depth = 1
    var state = State.declared

    enum State {
      case declared
      case open
      /// Expanded with the templates it extends; nil if that is not possible.
      case whole(YAMLNode?)
    }
  }

  private let files: [Inclusion.File]
  private let reader: DocumentReader
  private var templates: [Template] = []
  /// For each file, the positions of its own templates.
  private var own: [[String: Int]]
  /// The templates being expanded, outermost first.
  private var chain: [Int] = []
  private var nodes = 0
  private var hasReportedLimit = false
  /// The remaining number of name comparisons for suggestions.
  private var comparisonsLeft = 1_000_000

  /// Checks each template by itself, and resolves what templates extend.
  init(files: [Inclusion.File], reader: DocumentReader) {
    self.files = files
    self.reader = reader
    reader.hasTemplates = true
    own = Array(repeating: [:], count: files.count)
    for (position, file) in files.enumerated() {
      guard let node = file.root?[PipelineKey.templates.rawValue] else { continue }
      guard let entries = node.entries else {
        reader.wrongForm(node, "'templates'", needs: "a mapping of names to operations")
        continue
      }
      for entry in entries {
        own[position][entry.name] = templates.count
        templates.append(Template(entry: entry, file: position, isSound: reader.checkTemplate(entry)))
      }
    }
    for position in templates.indices { _ = whole(position) }
  }

  /// Returns the pipeline with its operations and handlers expanded with their templates.
  func expanded(_ root: YAMLNode) -> YAMLNode {
    root.with(
      (root.entries ?? []).map { entry in
        switch entry.name {
        case PipelineKey.operations.rawValue:
          return YAMLEntry(key: entry.key, value: expanded(list: entry.value))
        case PipelineKey.after.rawValue:
          guard let events = entry.value.entries else { return entry }
          let lists = events.map { YAMLEntry(key: $0.key, value: expanded(list: $0.value)) }
          return YAMLEntry(key: entry.key, value: entry.value.with(lists))
        default: return entry
        }
      })
  }

  private func expanded(list: YAMLNode) -> YAMLNode {
    guard let items = list.items else { return list }
    return YAMLNode(
      .sequence(items.map(extended)), range: list.range, coreTag: list.coreTag, isFaulty: list.isFaulty)
  }

  private func extended(_ operation: YAMLNode) -> YAMLNode {
    guard let entries = operation.entries, let use = entries.first(where: { $0.name == OperationKey.extends.rawValue }),
      let position = template(use.value, in: 0), let base = whole(position), isWithinBounds(at: use.value)
    else { return operation }
    let template = templates[position]
    let name = operation["name"]?.text.map { "the operation '\($0)'" } ?? "the operation"
    // Each part refers to the other.
    let inBase = note("\(name) extends '\(template.entry.name)' here", at: use.value)
    let inOwn = note("the template '\(template.entry.name)' is here", at: template.entry.key)
    var moved: [UInt32: UInt32] = [:]
    let taken = base.moved(count: &nodes) { file in
      if let origin = moved[file] { return origin }
      let origin = origin(of: file, inBase, isReported: !template.isSound)
      moved[file] = origin
      return origin
    }
    guard isWithinBounds(at: use.value) else { return operation }
    let ownOrigin = origin(of: 0, inOwn, isOverride: true)
    var count = 0
    let own = operation.with(entries.filter { $0.name != use.name }).moved(count: &count) { _ in ownOrigin }
    let whole = taken.joined(with: own, as: .keys(OperationKey.table.rows), count: &count)
    // The operation's own keys come first, because missing keys are reported there.
    let names = Set(entries.map(\.name))
    let all = whole.entries ?? []
    return whole.with(all.filter { names.contains($0.name) } + all.filter { !names.contains($0.name) })
  }

  /// Returns whether the number of nodes taken from templates is within the limit; reports it once otherwise.
  private func isWithinBounds(at place: YAMLNode) -> Bool {
    guard nodes > Self.maximumNodes else { return true }
    if !hasReportedLimit {
      reader.error(
        .includeLimit, "more than \(Self.maximumNodes) nodes are copied from templates up to here", at: place.range,
        fix: "let fewer operations extend large templates")
    }
    hasReportedLimit = true
    return false
  }

  private func origin(
    of file: UInt32, _ note: Diagnostic.Note, isReported: Bool = false, isOverride: Bool = false
  ) -> UInt32 {
    let text = reader.origins[Int(file)].text
    reader.origins.append(NodeOrigin(text: text, note: note, isReported: isReported, isOverride: isOverride))
    return UInt32(reader.origins.count - 1)
  }

  private func note(_ message: String, at node: YAMLNode) -> Diagnostic.Note {
    var range = node.range
    range.origin = 0
    return Diagnostic.Note(message: message, file: reader.origins[Int(node.origin)].text.path, range: range)
  }

  /// Returns the template that `node` names in a file; nil if there is none, which is reported.
  private func template(_ node: YAMLNode, in file: Int) -> Int? {
    if node.items != nil {
      reader.wrongForm(
        node, "'extends'", needs: "the name of one template", fix: "let one of the templates extend the other")
      return nil
    }
    guard let name = reader.plainText(node, "'extends'") else { return nil }
    let order = files[file].order.reversed()
    if let position = order.lazy.compactMap({ self.own[$0][name] }).first { return position }
    var fix: String?
    comparisonsLeft -= order.reduce(0) { $0 + own[$1].count }
    if comparisonsLeft > 0 {
      let names = order.flatMap { own[$0].keys }.sorted()
      fix = reader.suggestion(for: name, among: names) ?? Self.list(names)
    }
    reader.error(.unknownTemplate, "there is no template '\(name)'", at: node.range, fix: fix)
    return nil
  }

  /// Lists the existing names; nil if there are none, or too many for one line.
  private static func list(_ names: [String]) -> String? {
    guard !names.isEmpty, names.count <= 8 else { return nil }
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    return names.count == 1 ? "the only one is \(list)" : "there are \(list)"
  }

  /// Returns a template expanded with the templates it extends, without `extends`; nil if that is not possible, which is reported.
  private func whole(_ position: Int) -> YAMLNode? {
    let template = templates[position]
    switch template.state {
    case .whole(let node): return node
    case .open:
      let start = chain.firstIndex(of: position) ?? 0
      let steps = (chain[start...] + [position]).map { templates[$0].entry.name }.joined(separator: " → ")
      let last = chain.last.flatMap { templates[$0].entry.value[OperationKey.extends.rawValue] }
      reader.error(
        .recursiveTemplate, "the template extends itself: \(steps)", at: (last ?? template.entry.key).range)
      return nil
    case .declared: break
    }
    templates[position].state = .open
    chain.append(position)
    var node: YAMLNode? = template.entry.value.entries == nil ? nil : template.entry.value
    if let own = node, let use = own[OperationKey.extends.rawValue] {
      let rest = own.with((own.entries ?? []).filter { $0.name != OperationKey.extends.rawValue })
      node = nil
      if chain.count > Self.maximumDepth {
        reportDepth(at: use)
      } else if let base = self.template(use, in: template.file), let whole = whole(base), isWithinBounds(at: use) {
        templates[position].depth = templates[base].depth + 1
        if templates[position].depth == Self.maximumDepth + 1 { reportDepth(at: use) }
        node = whole.joined(with: rest, as: .keys(TemplateKey.table.rows), count: &nodes)
        if !templates[base].isSound { templates[position].isSound = false }
      }
    }
    _ = chain.popLast()
    templates[position].state = .whole(node)
    return node
  }

  private func reportDepth(at use: YAMLNode) {
    reader.error(
      .includeLimit, "more than \(Self.maximumDepth) templates extend one another", at: use.range,
      fix: "put what they share into fewer templates")
  }
}
