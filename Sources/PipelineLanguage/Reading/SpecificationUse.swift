import Expressions

/// What a formula is for, which decides what may stand in it.
enum SpecificationUse: Sendable, Equatable {
  /// The specification of a pipeline at this position.
  case specification(Int)
  case automatic, rerunOnChange, staleWhen, runWhen, wait, early

  /// The key, as messages name it.
  var key: String {
    switch self {
    case .specification: "specifications"
    case .automatic: "automatic"
    case .rerunOnChange: "rerun_on_change"
    case .staleWhen: "stale_when"
    case .runWhen: "run_when"
    case .wait: "wait"
    case .early: "early"
    }
  }

  /// Whether something with an age stands behind it: a success that may be taken over.
  var hasAge: Bool { self == .staleWhen }
}

/// A formula that has been read, with the places that the checks need.
struct SpecificationSite {
  let formula: ParsedFormula
  let node: YAMLNode
  let use: SpecificationUse
  /// What has it, as messages name it: `operation 'x'`.
  var owner: String = "the pipeline"
}

/// What parsing a formula found out. Places count from 1 in the text of the node.
struct ParsedFormula {
  /// A stretch of the text.
  struct Place: Sendable {
    var position: Int
    var length: Int
  }

  /// The formula; of use only when nothing was wrong.
  var formula: SpecificationFormula
  /// Where it names specifications of the pipeline.
  var names: [(specification: Int, place: Place)] = []
  /// Where it asks for an age.
  var ages: [Place] = []
  /// Where it asks for the terminal of the process.
  var terminals: [Place] = []
  /// The arguments that hold expressions, each with how many Unicode scalars of the text come before it.
  var templates: [(template: Template, offset: Int)] = []
  /// What is wrong beyond its syntax.
  var problems: [ExpressionError] = []
}
