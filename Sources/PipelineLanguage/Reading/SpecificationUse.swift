import Expressions

/// The purpose of a condition, which determines what it may contain.
enum SpecificationUse: Sendable, Equatable {
  /// The specification at this position in the pipeline.
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

  /// Whether the condition concerns something with an age: a success that may be reused.
  var hasAge: Bool { self == .staleWhen }
}

/// A condition that has been read, with the places that the checks need.
struct SpecificationSite {
  let formula: ParsedFormula
  let node: YAMLNode
  let use: SpecificationUse
  /// The owner, as messages name it, such as `operation 'x'`.
  var owner: String = "the pipeline"
}

/// The result of parsing a condition. Positions are in the text of the node, from 1.
struct ParsedFormula {
  /// A range of the text.
  struct Place: Sendable {
    var position: Int
    var length: Int
  }

  /// The condition; only valid without problems.
  var formula: SpecificationFormula
  /// The places where it names specifications of the pipeline.
  var names: [(specification: Int, place: Place)] = []
  /// The places where it uses an age.
  var ages: [Place] = []
  /// The names of pipelines that it names, with their places.
  var pipelines: [(name: String, place: Place)] = []
  /// The places where it requires the terminal of the process.
  var terminals: [Place] = []
  /// The arguments that contain expressions, each with its offset in the text in Unicode scalars.
  var templates: [(template: Template, offset: Int)] = []
  /// The errors other than syntax errors.
  var problems: [ExpressionError] = []
}
