/// Formats numbers as a row of bars, one column each.
enum SparkLine {
  private static let bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  private static let letters = [".", ",", ":", "-", "=", "+", "*", "#"]

  /// Returns the bars of `values`, scaled from zero to the maximum; a space for a missing number.
  static func text(_ values: [Double?], isUnicode: Bool) -> String {
    let greatest = values.compactMap(\.self).max() ?? 0
    let glyphs = isUnicode ? bars : letters
    return values.map { value in
      guard let value else { return " " }
      guard greatest > 0 else { return glyphs[0] }
      return glyphs[min(glyphs.count - 1, max(0, Int(value / greatest * Double(glyphs.count))))]
    }.joined()
  }
}
