/// The middle and the width of several measurements of one thing.
struct Spread: Sendable, Encodable {
  let median: Double
  /// A tenth of the measurements is below.
  let p10: Double
  /// A tenth of the measurements is above.
  let p90: Double

  /// Nil if there are no measurements. Between two measurements, quantiles are interpolated.
  init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    func quantile(_ part: Double) -> Double {
      let place = part * Double(sorted.count - 1)
      let below = Int(place)
      let above = min(below + 1, sorted.count - 1)
      return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
    median = quantile(0.5)
    p10 = quantile(0.1)
    p90 = quantile(0.9)
  }

  /// The width as a part of the median: 0.1 says that the middle 80 % lie within 10 %.
  var relativeWidth: Double { median == 0 ? 0 : (p90 - p10) / median }
}
