import PipelineEngine
import RunHistory

extension LeftOutInstants {
  /// An occasion without a run for each instant, and one for a range, which says how many there are.
  func occasions(of pipeline: String, controller: String, at time: RecordTime) -> [OccasionRequest] {
    let known = Occasion.Reason(rawValue: reason)
    func request(_ instant: RecordTime, _ detail: String?) -> OccasionRequest {
      let occasion = Occasion(
        pipeline: pipeline, cause: .instant, controller: controller, instant: instant, askedAt: time, detail: detail)
      // What a later version of a plugin says is told in its words.
      return OccasionRequest(occasion, without: known ?? .catchUpLimit)
    }
    let word = known == nil ? reason : nil
    let single = instants.map { request($0, word) }
    guard let range else { return single }
    let text = "\(range.count) instants from \(range.first.text) to \(range.last.text)"
    return single + [request(range.last, [word, text].compactMap { $0 }.joined(separator: ": "))]
  }
}
