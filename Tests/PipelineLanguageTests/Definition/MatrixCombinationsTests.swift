import OrderedCollections
import Testing
import Values

@testable import PipelineLanguage

@Suite("The combinations of a matrix")
struct MatrixCombinationsTests {
  private func combinations(
    _ lists: [(name: String, values: [JSONValue])], exclude: [MatrixCombinations.Combination] = [],
    include: [MatrixCombinations.Combination] = []
  ) -> [String] {
    var combinations = MatrixCombinations(of: lists)
    combinations.exclude(exclude)
    combinations.include(include)
    return combinations.items.map { JSONValue.object($0).text }
  }

  private static let lists: [(name: String, values: [JSONValue])] = [
    ("fruit", ["apple", "pear"]), ("animal", ["cat", "dog"]),
  ]

  @Test("match the example of GitHub Actions")
  func example() {
    #expect(
      combinations(
        Self.lists,
        include: [
          ["color": "green"], ["color": "pink", "animal": "cat"], ["fruit": "apple", "shape": "circle"],
          ["fruit": "banana"], ["fruit": "banana", "animal": "cat"],
        ]) == [
          #"{"fruit":"apple","animal":"cat","color":"pink","shape":"circle"}"#,
          #"{"fruit":"apple","animal":"dog","color":"green","shape":"circle"}"#,
          #"{"fruit":"pear","animal":"cat","color":"pink"}"#,
          #"{"fruit":"pear","animal":"dog","color":"green"}"#,
          #"{"fruit":"banana"}"#,
          #"{"fruit":"banana","animal":"cat"}"#,
        ])
  }

  @Test("lack those with all values of an excluded entry")
  func exclusion() {
    #expect(
      combinations(Self.lists, exclude: [["fruit": "pear", "animal": "dog"]]) == [
        #"{"fruit":"apple","animal":"cat"}"#, #"{"fruit":"apple","animal":"dog"}"#, #"{"fruit":"pear","animal":"cat"}"#,
      ])
    #expect(
      combinations(Self.lists, exclude: [["fruit": "pear"], ["animal": "cat"]]) == [
        #"{"fruit":"apple","animal":"dog"}"#
      ])
    #expect(combinations(Self.lists, exclude: [["fruit": "plum"], ["colour": "red"]]).count == 4)
  }

  @Test("include an entry that was excluded before")
  func order() {
    #expect(
      combinations(Self.lists, exclude: [["fruit": "pear"]], include: [["fruit": "pear", "animal": "dog"]]) == [
        #"{"fruit":"apple","animal":"cat"}"#, #"{"fruit":"apple","animal":"dog"}"#, #"{"fruit":"pear","animal":"dog"}"#,
      ])
  }

  @Test("are the included entries if there are no lists, or all combinations are excluded")
  func inclusionAlone() {
    #expect(combinations([], include: [["a": 1], ["b": 2], ["a": 1]]) == [#"{"a":1}"#, #"{"b":2}"#, #"{"a":1}"#])
    #expect(combinations([("a", [])], include: [["b": 2]]) == [#"{"b":2}"#])
    #expect(combinations([("a", [1])], exclude: [["a": 1]], include: [["b": 2]]) == [#"{"b":2}"#])
    #expect(combinations([]).isEmpty)
  }

  @Test(
    "match by value, and structured values by prefix",
    arguments: [
      (1, 1, true), (1, 1.0, true), (2.0, 2, true), (1, "1", false), ("a", "A", false), (.null, .null, true),
      (["x": 1, "y": 2], ["x": 1], true), (["x": 1], ["x": 1, "y": 2], false), (["x": 1], ["x": 2], false),
      ([1, 2, 3], [1, 2], true), ([1, 2], [1, 2, 3], false), ([1, 2], [2], false),
      (["x": [["a": 1, "b": 2]]], ["x": [["b": 2]]], true),
    ] as [(JSONValue, JSONValue, Bool)])
  func matching(value: JSONValue, asked: JSONValue, matches: Bool) {
    #expect(MatrixCombinations.matches(value, asked) == matches)
  }
}
