import OrderedCollections
import Values

/// The combinations of a matrix, by the rules of GitHub Actions: first the lists, then `exclude`, then `include`.
package struct MatrixCombinations {
  /// One combination: values by name.
  package typealias Combination = OrderedDictionary<String, JSONValue>

  /// The combinations, in the order in which they run.
  package private(set) var items: [Combination]
  /// The names of the lists: their values are never overwritten.
  private let names: Set<String>

  /// Every combination of the lists, the last one varying fastest. Without a list there is none.
  package init(of lists: [(name: String, values: [JSONValue])]) {
    names = Set(lists.map(\.name))
    items = lists.isEmpty ? [] : [[:]]
    for list in lists {
      items = items.flatMap { combination in
        list.values.map { value in
          var extended = combination
          extended[list.name] = value
          return extended
        }
      }
    }
  }

  /// Leaves out the combinations that have all the values of one of `entries`.
  package mutating func exclude(_ entries: [Combination]) {
    guard !entries.isEmpty else { return }
    items.removeAll { combination in
      entries.contains { entry in
        entry.allSatisfy { name, value in combination[name].map { Self.matches($0, value) } ?? false }
      }
    }
  }

  /// Adds each of `entries` to every combination of the lists whose values it does not contradict, and makes a new combination of one that can be added to
  /// none. A later entry overwrites what an earlier one added, but never a value of a list.
  package mutating func include(_ entries: [Combination]) {
    let count = items.count
    for entry in entries {
      let fixed = entry.filter { names.contains($0.key) }
      let added = entry.filter { !names.contains($0.key) }
      var isAdded = false
      for index in 0..<count
      where fixed.allSatisfy({ name, value in items[index][name].map { Self.matches($0, value) } ?? false }) {
        items[index].merge(added) { $1 }
        isAdded = true
      }
      if !isAdded { items.append(entry) }
    }
  }

  /// Whether a value is what an entry asks for: the same, or a mapping or list that begins with what is written. Numbers are compared by value.
  package static func matches(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
    switch (value, pattern) {
    case (.int(let whole), .double(let number)), (.double(let number), .int(let whole)): return Double(whole) == number
    case (.object(let members), .object(let asked)):
      return asked.allSatisfy { name, asked in members[name].map { matches($0, asked) } ?? false }
    case (.array(let elements), .array(let asked)):
      return asked.count <= elements.count && zip(elements, asked).allSatisfy { matches($0, $1) }
    default: return value == pattern
    }
  }
}
