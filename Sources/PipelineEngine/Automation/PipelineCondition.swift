import Operations
import PipelineLanguage

/// The current value of one of the conditions by which a pipeline runs by itself.
package struct PipelineCondition: Sendable, Hashable {
  /// The keys of a pipeline that have such conditions.
  package enum Key: String, Sendable {
    case automatic
    case rerunOnChange = "rerun_on_change"
    /// Evaluated for the latest success.
    case staleWhen = "stale_when"
  }

  package let key: Key
  /// The text of the condition.
  package let formula: String
  /// Whether it is true; nil if unknown.
  package let value: Bool?
  /// The reason, for people to read.
  package let reason: String

  init(
    _ key: Key, _ formula: SpecificationFormula, _ specification: AnyOperationRunSpecification,
    in context: OperationContext
  ) {
    let description = specification.description(in: context)
    self.key = key
    self.formula = formula.text
    value = description.value
    reason = description.reason
  }

  /// The value, the condition and the reason for its value: `automatic is false: file-exists(flag) (/srv/flag is not there)`.
  package var words: String {
    let subject = key == .staleWhen ? "\(key.rawValue) of the latest success" : key.rawValue
    let value = value.map { $0 ? "is true" : "is false" } ?? "is unknown"
    return "\(subject) \(value): \(formula) (\(reason))"
  }
}
