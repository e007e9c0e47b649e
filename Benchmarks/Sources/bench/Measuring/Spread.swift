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
    median = Self.quantile(0.5, ofSorted: sorted)
    p10 = Self.quantile(0.1, ofSorted: sorted)
    p90 = Self.quantile(0.9, ofSorted: sorted)
  }

  /// The value that so large a part of all is below; nil if there are none.
  static func quantile(_ part: Double, of values: [Double]) -> Double? {
    values.isEmpty ? nil : quantile(part, ofSorted: values.sorted())
  }

  private static func quantile(_ part: Double, ofSorted sorted: [Double]) -> Double {
    let place = part * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }

  /// The width as a part of the median: 0.1 says that the middle 80 % lie within 10 %.
  var relativeWidth: Double { median == 0 ? 0 : (p90 - p10) / median }
}
