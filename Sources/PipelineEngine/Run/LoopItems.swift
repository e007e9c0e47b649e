import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

/// The items of a `for_each` or `matrix` and their labels, computed once when the operation begins.
struct LoopItems {
  let run: Run
  let ordinal: Int

  /// Returns the label of each item.
  func labels(_ label: Template, of items: [JSONValue]) throws -> [String?] {
    var contexts = run.contexts(ordinal)
    return try items.map { item in
      contexts.loopItem = item
      return ItemLabel.bounded(try label.evaluate(in: contexts).injectedText)
    }
  }

  /// Returns the value of each item.
  func items(of loop: OperationDefinition.Loop) throws -> [JSONValue] {
    switch loop.source {
    case .list(let data):
      let value = try data.evaluate(in: run.contexts(ordinal))
      guard case .array(let items) = value else {
        throw OperationFailure(code: "value-mismatch", message: "for_each must be a list, found \(value.kind)")
      }
      return items
    case .matrix(let matrix): return try combinations(of: matrix).map { .object($0) }
    }
  }

  private func combinations(
    of matrix: OperationDefinition.Matrix
  ) throws -> [MatrixCombinations.Combination] {
    var lists: [(name: String, values: [JSONValue])] = []
    var count = 1
    for list in matrix.lists {
      let values = try self.list(list.values, called: list.name)
      // The same limit as the checker's: a matrix that it accepts when written out is accepted here too.
      count *= max(values.count, 1)
      guard count <= DocumentReader.maximumCombinations else { throw Self.tooManyCombinations }
      lists.append((list.name, values))
    }
    var combinations = MatrixCombinations(of: lists)
    if let exclude = matrix.exclude { combinations.exclude(try entries(exclude, called: "exclude")) }
    if let include = matrix.include { combinations.include(try entries(include, called: "include")) }
    guard combinations.items.count <= DocumentReader.maximumCombinations else { throw Self.tooManyCombinations }
    return combinations.items
  }

  private static var tooManyCombinations: OperationFailure {
    OperationFailure(
      code: "matrix-too-large", message: "matrix: more than \(DocumentReader.maximumCombinations) combinations")
  }

  /// Returns one list of a matrix.
  private func list(_ data: DataTemplate, called name: String) throws -> [JSONValue] {
    let value = try data.evaluate(in: run.contexts(ordinal))
    guard case .array(let values) = value else {
      throw OperationFailure(
        code: "value-mismatch", message: "matrix: '\(name)' must be a list, found \(value.kind)")
    }
    return values
  }

  /// Returns the mappings under `exclude` or `include`.
  private func entries(
    _ data: DataTemplate, called name: String
  ) throws -> [MatrixCombinations.Combination] {
    try list(data, called: name).map { entry in
      guard case .object(let members) = entry, !members.isEmpty else {
        throw OperationFailure(
          code: "value-mismatch", message: "matrix: an entry of '\(name)' must be a mapping, found \(entry.kind)")
      }
      return members
    }
  }
}
