import Foundation
import SQLite
import Workspace

/// A directory that is deleted at the end of a test.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "workspace-test-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var workspace: String { path + "/space" }
}

/// The source checkout.
enum Checkout {
  /// The root of the checkout. The thread sanitizer's package links to these tests, so links are resolved.
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the text of a file of the checkout, with words separated by single blanks.
  static func words(of path: String) throws -> String { words(try text(of: path)) }

  static func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// Returns the Swift code blocks of a document.
  static func swiftBlocks(of path: String) throws -> [String] {
    try text(of: path).components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}

extension WorkspaceSchema {
  /// One table of numbers, in two versions.
  static let numbers = WorkspaceSchema(applicationID: 0x7465_7374, migrations: [first])
  static let numbersTwo = WorkspaceSchema(
    applicationID: 0x7465_7374,
    migrations: [first, Migration(number: 2, sql: "ALTER TABLE number ADD COLUMN note TEXT")])
  private static let first = Migration(
    number: 1, sql: "CREATE TABLE number (place INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
}

func openNumbers(_ directory: TemporaryDirectory, mode: OpenWorkspace.Mode = .readWrite) throws -> OpenWorkspace {
  try OpenWorkspace.open(at: directory.workspace, schema: .numbers, mode: mode)
}

extension OpenWorkspace {
  func values() throws -> [Int] {
    try read { try Int.fetchAll($0, sql: "SELECT value FROM number ORDER BY place") }
  }
}

extension OrderedWriter where Change == Int {
  /// Creates a writer that appends numbers to the table.
  static func numbers(
    _ workspace: OpenWorkspace, delay: Duration = .milliseconds(2), maximumBatch: Int = 4096,
    hold: OrderedWriter<Int>.Hold? = nil, onFailure: @escaping @Sendable (WorkspaceError) -> Void = { _ in }
  ) -> OrderedWriter<Int> {
    OrderedWriter(
      workspace: workspace, delay: delay, maximumBatch: maximumBatch,
      apply: { db, numbers in
        var insert = try BoundStatement("INSERT INTO number (value) VALUES (?)", in: db)
        for number in numbers {
          insert.bind(number)
          try insert.run()
        }
      }, hold: hold, onFailure: onFailure)
  }
}

/// Collects values from a test's callbacks.
final class Collected<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []
  func append(_ element: Element) { lock.withLock { elements.append(element) } }
  var all: [Element] { lock.withLock { elements } }
}
