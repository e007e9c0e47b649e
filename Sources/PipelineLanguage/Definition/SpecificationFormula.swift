import Expressions

/// A condition on the world that can be observed: a boolean formula over specifications, checked when the file was loaded.
///
/// Unlike an ``Expression``, which is asked once, a formula has a value at any time and tells when it changes.
public struct SpecificationFormula: Sendable {
  /// A part of the formula.
  public indirect enum Node: Sendable {
    /// True at any time.
    case always
    /// False at any time.
    case never
    /// The computer has a network connection.
    case connected
    /// The host is in the foreground of its terminal.
    case foreground
    /// What it is asked about is older than this. Stands only where something has an age.
    case olderThan(Duration)
    /// Something is at the path, which starts from the directory of the pipeline file.
    case fileExists(Template)
    /// What is at the path has changed since the moment that counts where the formula stands.
    case changed(Template)
    /// The pipeline of this name has succeeded in the workspace.
    case succeeded(pipeline: String)
    /// A specification of a plugin. Stands alone, as a specification of the pipeline.
    case plugin(PluginUse)
    /// The specification at this position in ``PipelineDefinition/specifications``.
    case named(Int)
    case not(Node)
    /// All of them; two at least.
    case and([Node])
    /// One of them; two at least.
    case or([Node])
  }

  /// The formula as it is written.
  public var text: String
  /// The whole of it.
  public var root: Node

  /// A formula that is written `text`.
  public init(text: String, root: Node) {
    self.text = text
    self.root = root
  }
}

extension SpecificationFormula.Node {
  /// Calls `body` with every part that has no parts itself.
  package func forEachLeaf(_ body: (SpecificationFormula.Node) -> Void) {
    switch self {
    case .not(let operand): operand.forEachLeaf(body)
    case .and(let operands), .or(let operands): for operand in operands { operand.forEachLeaf(body) }
    default: body(self)
    }
  }

  /// Whether it is a specification of a plugin.
  package var isPlugin: Bool { if case .plugin = self { true } else { false } }

  /// The positions of the specifications that it names, in order.
  var named: [Int] {
    var positions: [Int] = []
    forEachLeaf { if case .named(let position) = $0 { positions.append(position) } }
    return positions
  }
}
