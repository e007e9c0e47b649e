import Dispatch

extension DocumentReader {
  /// How many operations one thread reads in a millisecond, about: what makes it worth to ask another one.
  private static let stretch = 250

  /// The operations of a list, in its order; an item that is none is reported and left out.
  ///
  /// A long list is read by all processors. What it comes to, and the order of what is reported, is the same.
  func operations(_ items: [YAMLNode], defaults: OperationDefaults) -> [OperationDraft] {
    guard items.count >= 2 * Self.stretch, items.allSatisfy({ $0.entries != nil }) else {
      return operations(items[...], from: 0, defaults)
    }
    let stretches = stride(from: 0, to: items.count, by: Self.stretch).map { start in
      OperationStretch(
        reader: sibling(), items: items[start..<min(start + Self.stretch, items.count)], defaults: defaults)
    }
    DispatchQueue.concurrentPerform(iterations: stretches.count) { stretches[$0].read() }
    for stretch in stretches { take(stretch.reader) }
    return stretches.flatMap(\.drafts)
  }

  /// Operations whose indices begin with `first`.
  fileprivate func operations(
    _ items: ArraySlice<YAMLNode>, from first: Int, _ defaults: OperationDefaults
  ) -> [OperationDraft] {
    var drafts: [OperationDraft] = []
    drafts.reserveCapacity(items.count)
    for item in items {
      if let draft = operation(item, index: first + drafts.count, defaults: defaults) { drafts.append(draft) }
    }
    return drafts
  }
}

/// Some of the operations of a list, one after another, with a reader for them alone.
private final class OperationStretch: @unchecked Sendable {
  // @unchecked: one thread reads it, and another looks at it once that has ended. What it shares with other stretches (the text, its nodes, the defaults)
  // is never changed.
  let reader: DocumentReader
  private let items: ArraySlice<YAMLNode>
  private let defaults: OperationDefaults
  private(set) var drafts: [OperationDraft] = []

  init(reader: DocumentReader, items: ArraySlice<YAMLNode>, defaults: OperationDefaults) {
    self.reader = reader
    self.items = items
    self.defaults = defaults
  }

  func read() {
    // Every item is an operation, as whoever divided the list has made sure of.
    drafts = reader.operations(items, from: items.startIndex, defaults)
  }
}
