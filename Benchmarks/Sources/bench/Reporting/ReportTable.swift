/// The table that people read.
struct ReportTable {
  private static let headings = [
    "WORKLOAD", "WHO", "FLOOR", "TIME", "RESULT", "P10 – P90", "TARGET", "", "PEAK RSS",
  ]

  let rows: [Row]

  /// The lines, under each other.
  var text: String {
    var cells = [Self.headings]
    var notes: [Int: String] = [:]
    for (index, row) in rows.enumerated() {
      let opensWorkload = index == 0 || rows[index - 1].workload != row.workload
      if !row.title.isEmpty { notes[cells.count] = "  " + row.title }
      cells.append(line(row, opensWorkload: opensWorkload))
    }
    let widths = Self.headings.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    var lines: [String] = []
    for (index, line) in cells.enumerated() {
      let padded = zip(line, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return (2...5).contains(column) || column == 8 ? space + cell.0 : cell.0 + space
      }
      lines.append(padded.joined(separator: "  ").trimmedAtEnd + (notes[index] ?? ""))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ row: Row, opensWorkload: Bool) -> [String] {
    let isPeer = row.title.isEmpty
    let target = row.target.map { (row.unit == .perSecond ? "≥ " : "≤ ") + Numbers.result($0, row.unit) } ?? ""
    let memory = row.memoryLimit.map { " ≤ " + Numbers.megabytes($0) } ?? ""
    return [
      opensWorkload ? row.workload : "",
      (isPeer ? "· " : "") + row.contender,
      isPeer ? "" : row.floor.map { Numbers.amount($0.median, row.unit) } ?? "–",
      Numbers.amount(row.time.median, row.unit),
      Numbers.result(row.result.median, row.unit),
      range(Numbers.result(row.result.p10, row.unit), Numbers.result(row.result.p90, row.unit)),
      target,
      row.verdict?.rawValue ?? "",
      Numbers.megabytes(row.peakBytes) + memory,
    ]
  }
}

/// `1.15 – 1.22 ×`: a unit that both have is said once.
private func range(_ low: String, _ high: String) -> String {
  guard let space = low.lastIndex(of: " "), high.hasSuffix(low[space...]) else { return low + " – " + high }
  return low[..<space] + " – " + high
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
