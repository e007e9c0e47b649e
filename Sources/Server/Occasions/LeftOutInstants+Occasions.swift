import PipelineEngine
import RunHistory

extension LeftOutInstants {
  /// Returns an occasion without a run for each instant, and one for a range, which contains the number of instants.
  ///
  /// A controller takes all the time in which it was not running for time without a host; `absence` knows better. What it missed since the pipeline came
  /// into effect, it missed although a host was running.
  func occasions(
    of pipeline: String, controller: String, during absence: PipelineAbsence, at time: RecordTime
  ) -> [OccasionRequest] {
    // A reason of a later version of a plugin is reported in its own words.
    let known = Occasion.Reason(rawValue: reason)
    func why(_ instant: RecordTime) -> Occasion.Reason {
      (known == .hostDown ? absence.reason(at: instant) : nil) ?? known ?? .leftOut
    }
    func request(_ instant: RecordTime, _ detail: String?) -> OccasionRequest {
      let occasion = Occasion(
        pipeline: pipeline, cause: .instant, controller: controller, instant: instant, askedAt: time, detail: detail)
      return OccasionRequest(occasion, without: why(instant))
    }
    func word(_ instant: RecordTime) -> String? {
      guard known == .hostDown else { return known == nil ? reason : nil }
      return absence.detail(at: instant)
    }
    let single = instants.map { request($0, word($0)) }
    guard let range else { return single }
    var text = "\(range.count) instants from \(range.first.text) to \(range.last.text)"
    let first = why(range.first)
    if first != why(range.last) { text += ", the first of them \(first.rawValue)" }
    return single + [request(range.last, [word(range.first), text].compactMap { $0 }.joined(separator: ": "))]
  }
}
