import Glibc
import Synchronization
import Workspace

/// Numbered transactions that are determined by their numbers, so that the content of a workspace follows from the number of the last one.
package enum Numbered {
  package struct Item: Storable, Hashable {
    package var id: Int
    package var writer: Int
    package var text: String
    package var tag: String?
    package var data: [UInt8]

    package static let id = Field("id", \Item.id)
    package static let writer = Field("writer", \Item.writer)
    package static let text = Field("text", \Item.text)
    package static let tag = Field("tag", \Item.tag)
    package static let data = Field("data", \Item.data)
    package static let schema = ObjectSchema(
      "item", Item.init, id, writer, text, tag, data, key: id, indexes: [.index(text), .unique(tag)])
  }

  /// The number of the last transaction.
  package struct Last: Storable {
    package var id: Int
    package var number: Int

    package static let id = Field("id", \Last.id)
    package static let number = Field("number", \Last.number)
    package static let schema = ObjectSchema("last", Last.init, id, number, key: id)

    /// Returns the number in a workspace; -1 if there is none.
    package static func number(in workspace: OpenWorkspace) throws -> Int {
      try workspace.fetch(for: Last.self).maximum(number) ?? -1
    }
  }

  package static func open(_ directory: String, mode: OpenWorkspace.Mode = .readWrite) throws -> OpenWorkspace {
    try OpenWorkspace.open(
      at: directory, schema: WorkspaceSchema(applicationID: 0x7465_7374, objects: [Item.self, Last.self]), mode: mode)
  }

  /// Returns the changes of one transaction, in order; nil deletes.
  package static func changes(of number: Int, seed: UInt64) -> [(id: Int, item: Item?)] {
    var random = Repeatable(seed: seed &+ UInt64(number) &* 1_000_003)
    return (0..<Int.random(in: 1...6, using: &random)).map { place in
      let id = Int.random(in: 0..<200, using: &random)
      if Int.random(in: 0..<5, using: &random) == 0 { return (id, nil) }
      // One in ten is large, so that a checkpoint happens every few hundred transactions.
      let size = Int.random(in: 0..<10, using: &random) == 0 ? 20_000 : Int.random(in: 0..<300, using: &random)
      let item = Item(
        id: id, writer: number, text: "text \(Int.random(in: 0..<50, using: &random))",
        tag: place == 0 ? "tag \(number)" : nil, data: Array(repeating: UInt8(truncatingIfNeeded: number), count: size))
      return (id, item)
    }
  }

  /// Applies the transactions with the given numbers to `items`.
  package static func apply(_ numbers: Range<Int>, seed: UInt64, to items: inout [Int: Item]) {
    for number in numbers {
      for (id, item) in changes(of: number, seed: seed) { items[id] = item }
    }
  }

  /// Continues after the last transaction in the workspace, with four pending at any time.
  static func writeForever(_ directory: String, seed: UInt64) async throws {
    let workspace = try open(directory)
    let first = try Last.number(in: workspace) + 1
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in
      // The first completion waits until all four have been called.
      beginning.withLock { _ in
        for offset in 0..<4 { write(first + offset, workspace, seed: seed) }
      }
    }
  }

  private static let beginning = Mutex(())

  private static func write(_ number: Int, _ workspace: OpenWorkspace, seed: UInt64) {
    workspace.performChanges([Item.self, Last.self]) { context in
      for (id, item) in changes(of: number, seed: seed) {
        if let item {
          try context.submit(Item.upsertRequest(item))
        } else {
          try context.delete(Item.self, where: Item.id == id)
        }
      }
      try context.submit(Last.upsertRequest(Last(id: 0, number: number)))
    } completionHandler: { result in
      switch result {
      case .success: say("\(number)")
      case .failure(let error):
        say("failed: \(error)")
        exit(1)
      }
      beginning.withLock { _ in }
      // Completions arrive in the order of the calls, which keeps the transactions in the order of their numbers.
      write(number + 4, workspace, seed: seed)
    }
  }
}
