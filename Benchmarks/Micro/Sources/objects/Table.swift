import Glibc

/// The medians of the rounds, for people.
struct Table {
  private static let lines: [(name: String, title: String, target: Double)] = [
    ("insert", "insert 10,000, one transaction", 1.5),
    ("insertEach", "1,000 awaited transactions of one insert", 1.3),
    ("fetchAll", "fetch all 10,000", 1.6),
    ("fetchIndexed", "indexed query of 100 rows, 1,000 times", 1.5),
    ("update", "update 10,000 held objects, one transaction", 1.6),
    ("delete", "delete 10,000, one transaction", 1.6),
    ("observeObjects", "1,000 subscribed objects updated, all delivered", 2.5),
    ("observeResults", "1,000 results of one row, 10,000 updates; the floor is the object form", 10),
  ]

  private let values: [String: [Double]]

  init(rounds: [[(name: String, seconds: Double)]]) {
    values = Dictionary(grouping: rounds.joined(), by: \.name).mapValues { $0.map(\.seconds) }
  }

  func print() {
    for (name, title, target) in Self.lines {
      guard let times = values[name], let floors = values[name + "Floor"] else { continue }
      let ratio = median(ratios(name, name + "Floor"))
      Swift.print(
        "\(title): floor \(milliseconds(floors)), \(milliseconds(times)), \(spread(name, name + "Floor")), "
          + "target \(fixed(target)) \(ratio <= target ? "met" : "MISSED")"
          + "; of processor time \(spread(name + "Processor", name + "FloorProcessor"))")
      guard values[name + "FloorClustered"] != nil else { continue }
      Swift.print(
        "    clustered floor: \(spread(name, name + "FloorClustered"))"
          + "; of processor time \(spread(name + "Processor", name + "FloorClusteredProcessor"))")
    }
    Swift.print(
      "update, beside a floor that writes the columns that change: \(spread("update", "updateColumnsFloor"))"
        + "; of processor time \(spread("updateProcessor", "updateColumnsFloorProcessor"))")
    if let times = values["subscribe"] { Swift.print("1,000 subscriptions of objects: \(milliseconds(times))") }
  }

  private func ratios(_ name: String, _ floor: String) -> [Double] {
    zip(values[name] ?? [], values[floor] ?? []).map { $0 / $1 }
  }

  /// The median of the ratios of the rounds, the least and the greatest.
  private func spread(_ name: String, _ floor: String) -> String {
    let ratios = ratios(name, floor)
    guard let least = ratios.min(), let greatest = ratios.max() else { return "–" }
    return "\(fixed(median(ratios))) × (\(fixed(least))–\(fixed(greatest)))"
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func milliseconds(_ values: [Double]) -> String { fixed(median(values) * 1000) + " ms" }

  private func fixed(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
