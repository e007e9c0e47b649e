import Operations
import Testing

@Suite("Operation path")
struct OperationPathTests {
  @Test("Equality and hash agree")
  func equality() {
    let pairs: [(OperationPath, OperationPath, Bool)] = [
      (OperationPath("a"), ["a"], true),
      (OperationPath("a"), ["a", "b"], false),
      ([], OperationPath(), true),
      ([1, "b"], OperationPath(1).appending("b"), true),
      ([1], [UInt8(1)], false),
      (["a", "b"], ["b", "a"], false),
    ]
    for (left, right, areEqual) in pairs {
      #expect((left == right) == areEqual, "\(left) and \(right)")
      #expect((right == left) == areEqual, "\(right) and \(left)")
      if areEqual { #expect(left.hashValue == right.hashValue) }
    }
    #expect(Set<OperationPath>([OperationPath("a"), ["a"], ["a", "b"]]).count == 2)
  }

  @Test("A path is a prefix of itself and of longer ones, and the empty path of all")
  func prefix() {
    let pairs: [(OperationPath, OperationPath, Bool)] = [
      ([], [], true), ([], ["a"], true), (["a"], ["a"], true), (["a"], ["a", 1], true), (["a", 1], ["a"], false),
      (["a"], ["b", "a"], false), (["a", 1], ["a", "1"], false),
    ]
    for (prefix, path, isPrefix) in pairs {
      #expect(prefix.isPrefix(of: path) == isPrefix, "\(prefix) of \(path)")
    }
  }

  @Test("Elements are appended and listed")
  func elements() {
    var path = OperationPath()
    path.append("a")
    path.append(2)
    path.append(true)
    #expect(path == ["a", 2, true])
    #expect(path.count == 3)
    #expect(path.description == "[a, 2, true]")
    #expect(path.appending(OperationPath("z")) == ["a", 2, true, "z"])
  }

  @Test("A hashable request is its own path, and the path of an identifiable one is its id")
  func defaults() {
    struct Hashed: StatefulOperationRequest, Hashable {
      typealias State = QueryState<Int, Never>
      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Int, Never>
      ) async throws(Never) -> Int { 1 }
    }
    struct Identified: StatefulOperationRequest, Identifiable {
      typealias State = QueryState<Int, Never>
      let id = 17
      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Int, Never>
      ) async throws(Never) -> Int { 1 }
    }
    #expect(Hashed().path == OperationPath(Hashed()))
    #expect(Identified().path == [17])
    #expect(Hashed().staleWhenNoValue().path == Hashed().path)
  }
}
