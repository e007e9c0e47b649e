import PipelineLanguage
import Values

extension PipelineGraph {
  /// Returns the graph as text in aligned columns: each operation with its dependencies, in a possible order of execution.
  /// Lines are cut at `width` columns, unless it is nil.
  package func text(width: Int? = nil) -> String {
    var incoming = [[Edge]](repeating: [], count: nodes.count)
    for edge in edges { incoming[edge.to].append(edge) }
    let nameWidth = nodes.map { TerminalText.width(of: TerminalText.visible($0.name)) }.max() ?? 0
    let kindWidth = nodes.map(\.kind.count).max() ?? 0
    var lines = [TerminalText.visible(name)]
    var event: PipelineDefinition.Event?
    for (place, node) in nodes.enumerated() {
      if node.event != event, let next = node.event {
        lines.append("after \(next.rawValue)")
        event = next
      }
      var line =
        "  " + Self.padded(TerminalText.visible(node.name), nameWidth) + "  " + Self.padded(node.kind, kindWidth)
      let sources = incoming[place].map { edge in
        TerminalText.visible(nodes[edge.from].name) + (edge.label.map { " (\(TerminalText.visible($0)))" } ?? "")
      }
      if !sources.isEmpty { line += "  ← " + sources.joined(separator: ", ") }
      if !node.notes.isEmpty { line += "  [" + TerminalText.oneLine(node.notes.joined(separator: "; ")) + "]" }
      while line.hasSuffix(" ") { line.removeLast() }
      lines.append(width.map { TerminalText.fitted(line, width: $0) } ?? line)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the graph as a Mermaid flow chart, which web pages and Markdown viewers render. Dotted arrows pass no value.
  package func mermaid() -> String {
    var text = "flowchart TD\n"
    var event: PipelineDefinition.Event?
    for (place, node) in nodes.enumerated() {
      if node.event != event {
        if event != nil { text += "  end\n" }
        if let next = node.event { text += "  subgraph after_\(next.rawValue)[\"after \(next.rawValue)\"]\n" }
        event = node.event
      }
      let label = ([node.name] + node.notes).map(Self.mermaidText).joined(separator: "<br/>")
      let indentation = event == nil ? "  " : "    "
      text += "\(indentation)n\(place)" + (node.kind == "approve" ? "{{\"\(label)\"}}\n" : "[\"\(label)\"]\n")
    }
    if event != nil { text += "  end\n" }
    for edge in edges {
      let arrow = edge.label.map { "-->|\"\(Self.mermaidText($0))\"|" } ?? "-.->"
      text += "  n\(edge.from) \(arrow) n\(edge.to)\n"
    }
    return text
  }

  /// Returns the graph in the DOT language of Graphviz. Dashed arrows pass no value.
  package func dot() -> String {
    var text = "digraph \(Self.dotText(name)) {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n"
    var event: PipelineDefinition.Event?
    for (place, node) in nodes.enumerated() {
      if node.event != event {
        if event != nil { text += "  }\n" }
        if let next = node.event {
          text += "  subgraph cluster_\(next.rawValue) {\n    label=\"after \(next.rawValue)\";\n"
        }
        event = node.event
      }
      let label = ([node.name] + node.notes).joined(separator: "\n")
      text += "  \(event == nil ? "" : "  ")n\(place) [label=\(Self.dotText(label))];\n"
    }
    if event != nil { text += "  }\n" }
    for edge in edges {
      let attributes = edge.label.map { "label=\(Self.dotText($0))" } ?? "style=dashed"
      text += "  n\(edge.from) -> n\(edge.to) [\(attributes)];\n"
    }
    return text + "}\n"
  }

  /// Returns one object per operation: `operation`, `action`, `level`, `after` (the event of a handler) and `needs`, whose members
  /// say what is injected.
  package func jsonLines() -> [JSONValue] {
    var incoming = [[Edge]](repeating: [], count: nodes.count)
    for edge in edges { incoming[edge.to].append(edge) }
    return nodes.enumerated().map { place, node in
      .object([
        "operation": .string(node.name), "action": .string(node.kind), "summary": .string(node.summary),
        "level": .int(Int64(node.level)), "after": node.event.map { .string($0.rawValue) } ?? .null,
        "needs": .array(
          incoming[place].map { edge in
            .object([
              "operation": .string(nodes[edge.from].name), "arrives": edge.label.map { .string($0) } ?? .null,
            ])
          }),
        "notes": .array(node.notes.map { .string($0) }),
      ])
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TerminalText.width(of: text)))
  }

  /// Escapes text for a quoted Mermaid label: characters that could end the quotes or start markup become entities such as `#quot;`.
  private static func mermaidText(_ text: String) -> String {
    TerminalText.oneLine(text).reduce(into: "") { result, character in
      switch character {
      case "\"": result += "#quot;"
      case "<": result += "#lt;"
      case ">": result += "#gt;"
      case "&": result += "#amp;"
      case "#": result += "#35;"
      case "`": result += "#96;"
      case "|": result += "#124;"
      default: result.append(character)
      }
    }
  }

  private static func dotText(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let escaped = lines.map { line in
      TerminalText.visible(String(line)).reduce(into: "") { result, character in
        if character == "\"" || character == "\\" { result += "\\" }
        result.append(character)
      }
    }
    return "\"" + escaped.joined(separator: "\\n") + "\""
  }
}
