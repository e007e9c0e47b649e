import Expressions
import Values

extension DocumentReader {
  /// Reads what an operation does.
  func readAction(_ key: ActionKey, _ node: YAMLNode, into draft: OperationDraft) {
    switch key {
    case .run: readScript(node, into: draft)
    case .command: readCommand(node, into: draft)
    case .value:
      let value = placedData(node, .value, into: &draft.sites)
      draft.value = value
      draft.definition.action = .value(value.data)
    case .wait: readWait(node, into: draft)
    case .pipeline: readNestedPipeline(node, into: draft)
    case .approve: readApproval(node, into: draft)
    case .http: readHTTP(node, into: draft)
    case .notify: readNotify(node, into: draft)
    case .uses: readOffer(node, into: draft)
    }
  }

  private func readScript(_ node: YAMLNode, into draft: OperationDraft) {
    guard let script = text(node, "'run'") else { return }
    draft.definition.action = .run(script: script)
    if let offset = Self.expressionOffset(in: script) {
      let expression = String(script.unicodeScalars.dropFirst(offset))
      let length = expression.split(separator: "}}", maxSplits: 1).first.map { $0.unicodeScalars.count + 2 } ?? 3
      error(
        .expressionInScript, "a script cannot hold an expression: its value would become program text",
        at: range(in: node, offset: offset, length: length),
        fix: #"use inject: or env:, and read it as "$name""#)
    }
    if script.utf8.contains(0) {
      error(.wrongForm, "'run' cannot hold a NUL character", at: node.range)
    }
  }

  private func readCommand(_ node: YAMLNode, into draft: OperationDraft) {
    guard let items = node.items else {
      return wrongForm(
        node, "'command'", needs: "a list of arguments",
        fix: node.text == nil ? nil : "write a list such as [ls, -l], or use 'run' for a shell")
    }
    guard let program = items.first else { return wrongForm(node, "'command'", needs: "at least a program") }
    if program.text == "" { wrongForm(program, "'command'", needs: "the name of a program first") }
    let use = Interpreter.use(in: items.map { $0.text ?? "" })
    var arguments: [Template] = []
    for (place, item) in items.enumerated() {
      let firstSite = draft.sites.count
      guard let argument = template(item, "an argument", .command, into: &draft.sites) else { continue }
      arguments.append(argument)
      if let use, use.places.contains(place), draft.sites.count > firstSite { draft.sites[firstSite].interpreter = use }
    }
    draft.definition.action = .command(arguments)
  }

  private func readApproval(_ node: YAMLNode, into draft: OperationDraft) {
    var message: Template?
    if node.entries != nil {
      readKeys(of: node, ApproveKey.table) { key, _, entry in
        switch key {
        case .message: message = template(entry.value, "'message'", .approve, into: &draft.sites)
        }
      }
    } else {
      message = template(node, "'approve'", .approve, into: &draft.sites)
    }
    draft.definition.action = .approve(message: message)
  }

  private func readWait(_ node: YAMLNode, into draft: OperationDraft) {
    guard node.entries != nil else {
      if readsAsFormula(node) { return readSpecificationWait(node, "'wait'", into: draft) }
      if let read = placedTemplate(node, "'wait'", .wait, into: &draft.sites) {
        setWait(.duration(read.template), read.placed, into: draft)
      }
      return
    }
    var forms: [WaitKey] = []
    readKeys(of: node, WaitKey.table) { key, _, entry in
      forms.append(key)
      if key == .for, readsAsFormula(entry.value) { return readSpecificationWait(entry.value, "'for'", into: draft) }
      guard let read = placedTemplate(entry.value, "'\(key.rawValue)'", .wait, into: &draft.sites) else { return }
      setWait(key == .for ? .duration(read.template) : .until(read.template), read.placed, into: draft)
    }
    if forms.count != 1 {
      wrongForm(node, "'wait'", needs: "exactly one of 'for' and 'until'")
    }
  }

  /// Whether what is waited for begins like a formula: durations begin with a digit.
  private func readsAsFormula(_ node: YAMLNode) -> Bool {
    guard !isNull(node),
      let first = node.text?.unicodeScalars.first(where: { !ExpressionLexer.isSpace($0) })
    else { return false }
    return first == "!" || first == "(" || first == "_" || ("a"..."z").contains(first) || ("A"..."Z").contains(first)
  }

  private func readSpecificationWait(_ node: YAMLNode, _ what: String, into draft: OperationDraft) {
    guard let formula = formula(node, what, .wait, of: draft.title) else { return }
    draft.definition.action = .wait(.specification(formula))
  }

  private func setWait(_ wait: OperationDefinition.Wait, _ placed: PlacedData, into draft: OperationDraft) {
    draft.wait = placed
    draft.definition.action = .wait(wait)
    guard case .literal(.string(let text)) = placed.data else { return }
    switch wait {
    case .specification: break
    case .duration:
      guard DurationNotation.parse(text) == nil else { return }
      if TimestampNotation.parse(text) != nil {
        error(
          .invalidDuration, "'wait' needs a duration, found the instant '\(text)'", at: placed.node.range,
          fix: "write 'wait: {until: \(text)}'")
      } else {
        invalidDuration(text, "'wait'", at: placed.node.range)
      }
    case .until:
      guard TimestampNotation.parse(text) == nil else { return }
      error(
        .invalidTimestamp, "'until' needs an instant, found '\(text)'", at: placed.node.range,
        fix: "write it like '2026-01-31T08:00:00Z'")
    }
  }

  private func readNestedPipeline(_ node: YAMLNode, into draft: OperationDraft) {
    guard node.entries != nil else {
      if let path = path(node, "'pipeline'") { setNestedPath(path, node, into: draft) }
      return
    }
    var hasFile = false
    readKeys(of: node, NestedPipelineKey.table) { key, _, entry in
      switch key {
      case .file:
        hasFile = true
        if let path = path(entry.value, "'file'") { setNestedPath(path, entry.value, into: draft) }
      case .params: readNestedParameters(entry, into: draft)
      }
    }
    if !hasFile { error(.missingKey, "'pipeline' needs a 'file'", at: node.entries?.first?.key.range ?? node.range) }
  }

  private func path(_ node: YAMLNode, _ what: String) -> String? {
    guard let path = plainText(node, what) else { return nil }
    if path.isEmpty || path.utf8.contains(0) {
      wrongForm(node, what, needs: "a path")
      return nil
    }
    return path
  }

  private func setNestedPath(_ path: String, _ node: YAMLNode, into draft: OperationDraft) {
    let parameters = draft.nestedCall?.parameters ?? []
    draft.definition.action = .pipeline(path: path, parameters: [])
    draft.nestedCall = OperationDraft.NestedCall(path: path, node: node, parameters: parameters)
  }

  /// `params` beside `pipeline`.
  func readSiblingParameters(_ entry: YAMLEntry, into draft: OperationDraft) {
    readNestedParameters(entry, into: draft)
  }

  private func readNestedParameters(_ entry: YAMLEntry, into draft: OperationDraft) {
    guard let entries = entry.value.entries else {
      return wrongForm(entry.value, "'params'", needs: "a mapping")
    }
    var call = draft.nestedCall ?? OperationDraft.NestedCall(path: "", node: entry.value)
    guard call.parameters.isEmpty else {
      return error(.severalParams, "'params' is given both in 'pipeline' and beside it", at: entry.key.range)
    }
    for parameter in entries {
      let value = placedData(parameter.value, .nestedParameter, into: &draft.sites)
      call.parameters.append((parameter.name, parameter.key.range, value))
    }
    draft.nestedCall = call
  }
}
