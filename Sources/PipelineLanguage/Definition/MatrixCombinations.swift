import OrderedCollections
import Values

/// The combinations of a matrix, by the rules of GitHub Actions: first the lists, then `exclude`, then `include`.
package struct MatrixCombinations {
  /// A combination: values by name.
  package typealias Combination = OrderedDictionary<String, JSONValue>

  /// The combinations, in the order in which they run.
  package private(set) var items: [Combination]
  /// The names of the lists, whose values are never overwritten.
  private let names: Set<String>

  /// Creates every combination of the lists, with the last list varying fastest. Without lists, there are no combinations.
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

  /// Removes the combinations that have all values of one of `entries`.
  package mutating func exclude(_ entries: [Combination]) {
    guard !entries.isEmpty else { return }
    items.removeAll { combination in
      entries.contains { entry in
        entry.allSatisfy { name, value in combination[name].map { Self.matches($0, value) } ?? false }
      }
    }
  }

  /// Adds each of `entries` to every combination of the lists that it does not contradict. An entry that fits none becomes a new combination. A later entry
  /// overwrites what an earlier one added, but never a value of a list.
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

  /// Returns whether a value matches an entry's value: it is equal, or a mapping or list that contains or begins with it. Numbers are compared by value.
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
