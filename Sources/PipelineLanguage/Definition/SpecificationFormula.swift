import Expressions

/// An observable condition: a boolean formula over specifications, checked when the file was loaded.
///
/// Unlike an `Expression`, which is evaluated once, it has a value at any time and notifies of changes.
public struct SpecificationFormula: Sendable {
  /// A part of the condition.
  public indirect enum Node: Sendable {
    /// Always true.
    case always
    /// Always false.
    case never
    /// The computer has a network connection.
    case connected
    /// The host is in the foreground of its terminal.
    case foreground
    /// The subject is older than this. Allowed only where there is something with an age.
    case olderThan(Duration)
    /// There is a file at the path, which starts from the directory of the pipeline file.
    case fileExists(Template)
    /// The file at the path has changed since the reference point of the condition's place.
    case changed(Template)
    /// The pipeline of this name has succeeded in the workspace.
    case succeeded(pipeline: String)
    /// A specification of a plugin. It is always the whole condition of a specification of the pipeline.
    case plugin(PluginUse)
    /// The specification at this position in ``PipelineDefinition/specifications``.
    case named(Int)
    case not(Node)
    /// All of at least two conditions.
    case and([Node])
    /// Any of at least two conditions.
    case or([Node])
  }

  /// The condition as written.
  public var text: String
  /// The root of the condition.
  public var root: Node

  /// Creates a condition that is written `text`.
  public init(text: String, root: Node) {
    self.text = text
    self.root = root
  }
}

extension SpecificationFormula.Node {
  /// Calls `body` with every leaf.
  package func forEachLeaf(_ body: (SpecificationFormula.Node) -> Void) {
    switch self {
    case .not(let operand): operand.forEachLeaf(body)
    case .and(let operands), .or(let operands): for operand in operands { operand.forEachLeaf(body) }
    default: body(self)
    }
  }

  /// Whether this is a specification of a plugin.
  package var isPlugin: Bool { if case .plugin = self { true } else { false } }

  /// The positions of the specifications that it names, in order.
  var named: [Int] {
    var positions: [Int] = []
    forEachLeaf { if case .named(let position) = $0 { positions.append(position) } }
    return positions
  }
}
