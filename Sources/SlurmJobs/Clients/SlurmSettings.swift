/// The configuration of a cluster, as `scontrol show config` prints it.
package struct SlurmSettings: Sendable {
  private var values: [String: String] = [:]

  /// Reads an answer; nil if it contains no setting.
  package init?(text: String) {
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      let name = line[..<equals].filter { !$0.isWhitespace }.lowercased()
      let value = String(line[line.index(after: equals)...].drop(while: \.isWhitespace))
      // Later sections may repeat a name, for example of a plugin.
      if values[name] == nil { values[name] = value }
    }
    if values.isEmpty { return nil }
  }

  /// Returns the value of a setting, whatever the case of its name; nil if it is not there.
  package subscript(_ name: String) -> String? { values[name.lowercased()] }

  /// Returns the number that a value begins with: `300 sec`. Nil if there is none, such as `INFINITE`.
  package func number(_ name: String) -> Int? { self[name].flatMap { Int($0.prefix { $0.isNumber }) } }

  /// Whether a value, a list with commas, contains an entry, which may have a value of its own.
  package func contains(_ entry: String, in name: String) -> Bool {
    self[name]?.split(separator: ",").contains { $0.split(separator: "=").first.map(String.init) == entry } ?? false
  }

  /// Whether memory limits are kept by control groups; nil if the cluster does not say.
  package var limitsMemory: Bool? {
    guard self["TaskPlugin"] != nil else { return nil }
    guard contains("task/cgroup", in: "TaskPlugin") else { return false }
    return self["ConstrainRAMSpace"].map { $0.lowercased() == "yes" }
  }
}

/// The version of Slurm: `slurm-wlm 22.05.8`.
package struct SlurmVersion: Sendable, Hashable, Comparable {
  /// The oldest one with which Penstock is tested.
  package static let oldest = SlurmVersion(numbers: [22, 5])

  private let numbers: [Int]

  private init(numbers: [Int]) { self.numbers = numbers }

  /// Reads what `sbatch --version` prints; nil if there is no version in it.
  package init?(_ text: String) {
    let numbers = text.split(whereSeparator: \.isWhitespace).last?.split(separator: ".").prefix(3).map {
      Int($0.prefix { $0.isNumber })
    }
    guard let numbers, numbers.count >= 2, !numbers.contains(nil) else { return nil }
    self.numbers = numbers.compactMap(\.self)
  }

  /// The version as Slurm writes it: `22.05.8`.
  package var text: String {
    numbers.enumerated().map { $0.offset == 1 && $0.element < 10 ? "0\($0.element)" : "\($0.element)" }.joined(
      separator: ".")
  }

  package static func < (left: SlurmVersion, right: SlurmVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
