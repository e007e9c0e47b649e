import Dispatch

extension DocumentReader {
  /// The number of operations that one thread reads in about a millisecond, below which using another thread does not pay.
  private static let stretch = 250

  /// Reads the operations of a list, in order; items that are not operations are reported and left out.
  ///
  /// A long list is read on all processors, with the same results and order of findings.
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

  /// Reads operations whose indices start at `first`.
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

/// A part of a list of operations, with its own reader.
private final class OperationStretch: @unchecked Sendable {
  // @unchecked: one thread reads the stretch, and another uses it only afterwards. The data shared with other stretches (the text, its nodes, the
  // defaults) is never modified.
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
    // Every item is a mapping, which the caller has checked.
    drafts = reader.operations(items, from: items.startIndex, defaults)
  }
}
