import CLibYAML
import Values

/// Builds nodes from libyaml's events, with an explicit stack instead of recursion.
struct YAMLTreeBuilder {
  let places: YAMLPlaces
  private(set) var diagnostics: [Diagnostic] = []
  private var root: YAMLNode?
  private var documents = 0
  /// The open sequences and mappings, outermost first. Never more than `YAMLReader.maximumDepth`.
  private var frames: [YAMLFrame] = []
  /// The items and entries of all open sequences and mappings; a frame stores the index of its first one.
  private var items: [YAMLNode] = []
  private var entries: [YAMLEntry] = []
  private var anchors: [String: YAMLAnchor] = [:]
  private var expanded = 0
  /// Whether an error was found after which reading is pointless.
  private var isOver = false
  private var lastQuoted: SourceRange?
  private var line = 0
  /// The end of the last text that belongs to a node.
  private var previousEnd = SourceMark(line: 1, column: 1)

  /// Creates a builder for the text whose UTF-8 `bytes` stay valid until ``build()`` returns.
  init(source: SourceText, bytes: UnsafeBufferPointer<UInt8>) {
    places = YAMLPlaces(source: source, bytes: bytes)
  }

  /// Reads everything. Must be called once only.
  mutating func build() -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
    guard let parser = YAMLEventParser(places.bytes) else {
      report(.yamlSyntax, "there is not enough memory to read the file", at: .beginning)
      return (nil, diagnostics)
    }
    if let failure = parser.forEachEvent({ take($0) }) {
      diagnostics.append(YAMLSyntaxFault(failure, places: places, lastQuoted: lastQuoted).diagnostic)
      return (nil, diagnostics)
    }
    return (isOver ? nil : root, diagnostics)
  }

  // MARK: - Events

  /// Processes `event`; returns whether to continue.
  private mutating func take(_ event: yaml_event_t) -> Bool {
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: startDocument(event)
    case YAML_SCALAR_EVENT: takeScalar(event)
    case YAML_ALIAS_EVENT: takeAlias(event)
    case YAML_SEQUENCE_START_EVENT:
      let data = event.data.sequence_start
      open(
        event, isMapping: false, isFlow: data.style == YAML_FLOW_SEQUENCE_STYLE, anchor: data.anchor, tag: data.tag
      )
    case YAML_MAPPING_START_EVENT:
      let data = event.data.mapping_start
      open(event, isMapping: true, isFlow: data.style == YAML_FLOW_MAPPING_STYLE, anchor: data.anchor, tag: data.tag)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: close(event)
    case YAML_STREAM_END_EVENT:
      if documents == 0 { reportEmptyFile() }
      return false
    default: break
    }
    return !isOver
  }

  private mutating func startDocument(_ event: yaml_event_t) {
    documents += 1
    guard documents > 1 else { return }
    let start = mark(event.start_mark)
    let length = places.byte(at: places.source.utf8Offset(of: start)) == 0x2D ? 3 : 1
    diagnostics.append(YAMLSyntaxFault.secondDocument(at: range(start, length), in: places.source))
    isOver = true
  }

  private mutating func reportEmptyFile() {
    report(.emptyFile, "the file is empty", at: .beginning, fix: "begin with 'operations:'")
    isOver = true
  }

  private mutating func takeScalar(_ event: yaml_event_t) {
    let data = event.data.scalar
    let text = String(decoding: UnsafeBufferPointer(start: data.value, count: data.length), as: UTF8.self)
    let style: YAMLNode.ScalarStyle =
      switch data.style {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
      case YAML_LITERAL_SCALAR_STYLE: .literal
      case YAML_FOLDED_SCALAR_STYLE: .folded
      default: .plain
      }
    var start = mark(event.start_mark)
    var end = mark(event.end_mark)
    var tagRange: SourceRange?
    if data.anchor != nil || data.tag != nil {
      (start, tagRange) = places.startBehindProperties(
        from: start, anchor: data.anchor != nil, tag: data.tag != nil, end: end
      )
    }
    if style == .literal || style == .folded {
      end = places.blockScalarEnd(from: start, to: end)
    } else if start == end, data.anchor == nil, data.tag == nil {
      start = places.missingValue(reportedAt: start, behind: previousEnd)
      end = start
    } else if style != .plain {
      lastQuoted = SourceRange(start: start, end: end)
    }
    let range = SourceRange(start: start, end: end)
    if documents == 1, frames.isEmpty, start == end, data.anchor == nil, data.tag == nil {
      reportEmptyFile()
      return
    }
    var tag: YAMLCoreTag?
    var isFaulty = false
    if let written = data.tag {
      (tag, isFaulty) = coreTag(written, at: tagRange ?? range) { tag in
        tag != .seq && tag != .map && YAMLCoreSchema.value(of: text, tag: tag) != nil
          ? nil : "the text '\(Self.clipped(text))'"
      }
    }
    let node = YAMLNode(.scalar(text, style), range: range, coreTag: tag, isFaulty: isFaulty)
    if let anchor = data.anchor { anchors[spelling(anchor)] = .closed(node, .scalar) }
    previousEnd = end
    attach(node, .scalar, end: end)
  }

  private mutating func takeAlias(_ event: yaml_event_t) {
    let name = spelling(event.data.alias.anchor)
    let range = SourceRange(start: mark(event.start_mark), end: mark(event.end_mark))
    previousEnd = range.end
    switch anchors[name] {
    case nil:
      let nearest = anchors.count <= 1_000 ? NearestName.suggestion(for: name, among: anchors.keys) : nil
      report(
        .unknownAlias, "there is no anchor '&\(Self.clipped(name))' before the alias '*\(Self.clipped(name))'",
        at: range,
        fix: nearest.map { "did you mean '*\($0)'?" } ?? "quote the value if it only begins with '*'"
      )
    case .open:
      report(
        .recursiveAlias, "the alias '*\(Self.clipped(name))' is inside the node of its own anchor", at: range,
        fix: "write the value out"
      )
    case .closed(let node, let weight):
      let before = expanded
      expanded += weight.nodes
      if frames.count + weight.height > YAMLReader.maximumDepth {
        reportDepth(at: range)
        return
      }
      if expanded <= YAMLReader.maximumExpansion {
        attach(node, weight, end: range.end)
        return
      }
      if before <= YAMLReader.maximumExpansion {
        report(
          .aliasExpansion, "the aliases up to here stand for more than \(YAMLReader.maximumExpansion) nodes",
          at: range,
          fix: "use fewer aliases of large nodes"
        )
      }
    }
    attach(YAMLNode(.scalar("", .plain), range: range, isFaulty: true), .scalar, end: range.end)
  }

  private mutating func open(
    _ event: yaml_event_t, isMapping: Bool, isFlow: Bool, anchor: UnsafeMutablePointer<UInt8>?,
    tag: UnsafeMutablePointer<UInt8>?
  ) {
    var start = mark(event.start_mark)
    var tagRange: SourceRange?
    if anchor != nil || tag != nil {
      (start, tagRange) = places.startBehindProperties(
        from: start, anchor: anchor != nil, tag: tag != nil, end: nil
      )
    }
    guard frames.count < YAMLReader.maximumDepth else {
      reportDepth(at: range(start, 1))
      return
    }
    var core: YAMLCoreTag?
    var isFaulty = false
    if let tag {
      (core, isFaulty) = coreTag(tag, at: tagRange ?? range(start, 1)) { tag in
        tag == (isMapping ? .map : .seq) ? nil : isMapping ? "a mapping" : "a list"
      }
    }
    let name = anchor.map { spelling($0) }
    if let name { anchors[name] = .open(depth: frames.count) }
    let first = isMapping ? entries.count : items.count
    previousEnd = start
    frames.append(
      YAMLFrame(
        isMapping: isMapping, isFlow: isFlow, start: start, first: first, anchor: name, tag: core, isFaulty: isFaulty
      )
    )
  }

  private mutating func close(_ event: yaml_event_t) {
    guard let frame = frames.popLast() else { return }
    // libyaml ends a block collection where the next token starts, and gives the mapping in `[a: b]` no width.
    let end = frame.isFlow && event.start_mark.index < event.end_mark.index ? mark(event.end_mark) : frame.end
    let content: YAMLNode.Content
    if frame.isMapping {
      content = .mapping(Array(entries[frame.first...]))
      entries.removeSubrange(frame.first...)
    } else {
      content = .sequence(Array(items[frame.first...]))
      items.removeSubrange(frame.first...)
    }
    let range = SourceRange(start: frame.start, end: end)
    let node = YAMLNode(content, range: range, coreTag: frame.tag, isFaulty: frame.isFaulty)
    // An inner anchor of the same name has replaced it.
    if let anchor = frame.anchor, case .open(frames.count) = anchors[anchor] {
      anchors[anchor] = .closed(node, frame.weight)
    }
    previousEnd = end
    attach(node, frame.weight, end: end)
  }

  // MARK: - Nodes

  /// Adds a complete node, whose text in the file ends at `end`, to the innermost collection.
  private mutating func attach(_ node: YAMLNode, _ weight: YAMLWeight, end: SourceMark) {
    guard !frames.isEmpty else {
      root = node
      return
    }
    let top = frames.count - 1
    frames[top].end = max(frames[top].end, end)
    frames[top].weight.nodes += weight.nodes
    frames[top].weight.height = max(frames[top].weight.height, weight.height + 1)
    guard frames[top].isMapping else {
      items.append(node)
      return
    }
    switch frames[top].key {
    case .expected: frames[top].key = accepted(node) ? .read(node) : .dropped
    case .read(let key):
      entries.append(YAMLEntry(key: key, value: node))
      frames[top].key = .expected
    case .dropped: frames[top].key = .expected
    }
  }

  /// Returns whether `key` can be a key of the innermost mapping; reports the reason if not.
  private mutating func accepted(_ key: YAMLNode) -> Bool {
    guard case .scalar(let text, let style) = key.content else {
      report(.keyNotScalar, "a key must be a text, not a list or mapping", at: key.range, fix: "quote the key")
      return false
    }
    guard !key.isFaulty else { return false }
    if text == "<<", style == .plain {
      report(
        .mergeKey, "'<<' does not merge mappings in YAML 1.2", at: key.range, fix: "write the merged keys out here"
      )
      return false
    }
    let top = frames.count - 1
    if let first = frames[top].line(ofEarlierKey: text, among: entries[frames[top].first...]) {
      report(
        .duplicateKey, "the key '\(Self.clipped(text))' is already there, first at line \(first)", at: key.range,
        fix: "remove one of the two"
      )
      return false
    }
    return true
  }

  /// Returns the core tag that libyaml calls `tag`, and whether it is invalid. `misfit` returns a description of the node if the tag does not match it.
  private mutating func coreTag(
    _ tag: UnsafeMutablePointer<UInt8>, at range: SourceRange, misfit: (YAMLCoreTag) -> String?
  ) -> (YAMLCoreTag?, isFaulty: Bool) {
    let name = spelling(tag)
    // A bare `!` disables tag resolution: a scalar is then a string.
    if name == "!" { return misfit(.str) == nil ? (.str, false) : (nil, false) }
    guard let core = YAMLCoreTag(fullName: name) else {
      report(
        .tagUnsupported,
        "the tag '\(Self.clipped(name))' is not one of !!str, !!int, !!float, !!bool, !!null, !!seq and !!map",
        at: range, fix: name.hasPrefix("!") ? "quote the value if the '!' belongs to it" : "remove the tag"
      )
      return (nil, true)
    }
    guard let found = misfit(core) else { return (core, false) }
    report(
      .tagMismatch, "\(found) cannot be read as !!\(core)", at: range, fix: "remove the tag, or change the value"
    )
    return (core, true)
  }

  // MARK: - Findings and places

  private mutating func reportDepth(at range: SourceRange) {
    report(
      .nestingTooDeep, "the nesting is deeper than \(YAMLReader.maximumDepth) levels", at: range,
      fix: "move the inner part into a nested pipeline"
    )
    isOver = true
  }

  private mutating func report(_ code: DiagnosticCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    guard diagnostics.count < YAMLReader.maximumFindings else { return }
    diagnostics.append(Diagnostic(code: code, message, file: places.source.path, range: range, fix: fix))
  }

  private mutating func mark(_ mark: yaml_mark_t) -> SourceMark {
    // libyaml's own line numbers also count U+0085, U+2028 and U+2029, which are not line breaks in YAML 1.2 or in editors.
    places.source.mark(atScalar: mark.index, near: &line)
  }

  private func range(_ start: SourceMark, _ length: Int) -> SourceRange {
    SourceRange(start: start, end: SourceMark(line: start.line, column: start.column + length))
  }

  /// Shortens `text` for a message.
  private static func clipped(_ text: String) -> String {
    text.utf8.count <= 60 ? text : String(text.unicodeScalars.prefix(40)) + "…"
  }

  private func spelling(_ pointer: UnsafeMutablePointer<UInt8>?) -> String {
    pointer.map { String(cString: $0) } ?? ""
  }
}
