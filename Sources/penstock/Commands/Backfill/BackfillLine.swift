import OrderedCollections
import PipelineService
import RunHistory
import Values

/// Describes one instant of a backfill.
enum BackfillLine {
  /// Returns the text for what is done.
  static func text(_ step: BackfillStep) -> String {
    switch step {
    case .run: "run"
    case .runAgain: "run again"
    case .resume: "resume"
    case .nothing: "nothing to do"
    case .leave: "leave alone"
    }
  }

  static func json(_ instant: RecordTime, _ former: RunRecord?, number: Int? = nil, of count: Int? = nil) -> JSONValue {
    var object: OrderedDictionary<String, JSONValue> = [:]
    if let number, let count {
      object = ["event": "instant", "number": JSONValue(number), "of": JSONValue(count)]
    }
    object["at"] = .string(instant.text)
    object["run"] = JSONValue(former?.id.text)
    object["state"] = JSONValue(former?.state.rawValue)
    object["step"] = .string(BackfillStep(after: former).rawValue)
    return .object(object)
  }
}
