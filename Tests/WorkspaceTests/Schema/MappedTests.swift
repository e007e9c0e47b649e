import SQLite
import Testing

@testable import Workspace

/// A shelf, in a table created by a migration.
private struct Shelf: Storable, Equatable {
  var number: Int
  var room: String

  static let number = Field("number", \Shelf.number)
  static let room = Field("room", \Shelf.room)
  static let schema = ObjectSchema("shelf", Shelf.init, number, room, key: number)
}

/// A book, with the room of its shelf.
private struct Book: Storable, Equatable {
  var id: Int
  var title: String
  var shelf: Int
  var reader: String?
  var room: String?

  static let id = Field("id", \Book.id)
  static let title = Field("title", \Book.title)
  static let shelf = Field("shelf", \Book.shelf)
  static let reader = Field("reader", \Book.reader)
  static let room = Field("room", \Book.room, of: Shelf.room, where: Shelf.number, equals: shelf)
  static let schema = ObjectSchema("book", Book.init, id, title, shelf, reader, room, key: id)
}

/// A book with a wrong declaration.
private struct WrongBook: Storable {
  var id: Int
  var title: Int
  static let id = Field("id", \WrongBook.id)
  static let title = Field("title", \WrongBook.title)
  static let schema = ObjectSchema("book", WrongBook.init, id, title, key: id)
}

private struct IncompleteBook: Storable {
  var id: Int
  var author: String?
  static let id = Field("id", \IncompleteBook.id)
  static let author = Field("author", \IncompleteBook.author)
  static let schema = ObjectSchema("book", IncompleteBook.init, id, author, key: id)
}

@Suite("Types over tables of migrations")
struct MappedTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func schema(_ mapped: [any Storable.Type] = [Book.self, Shelf.self]) -> WorkspaceSchema {
    WorkspaceSchema(
      applicationID: 0x7465_7374,
      migrations: [
        WorkspaceSchema.Migration(
          number: 1,
          sql: """
            CREATE TABLE shelf (number INTEGER PRIMARY KEY, room TEXT NOT NULL) STRICT;
            CREATE TABLE book (
              id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf INTEGER NOT NULL, reader TEXT) STRICT;
            CREATE INDEX book_lent ON book (reader) WHERE reader IS NOT NULL;
            CREATE INDEX book_by_title ON book (title);
            """)
      ], mapped: mapped)
  }

  private func open() async throws -> OpenWorkspace {
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema(), mode: .readWrite)
    try await workspace.performChanges([Book.self, Shelf.self]) { context in
      try context.submit(Shelf.creationRequest(Shelf(number: 1, room: "attic")))
      try context.submit(Book.creationRequest(Book(id: 7, title: "Emma", shelf: 1, reader: nil, room: nil)))
      try context.submit(Book.creationRequest(Book(id: 8, title: "Ulysses", shelf: 2, reader: "ada", room: "nowhere")))
    }
    return workspace
  }

  @Test("are fetched and changed like others, and show values of other objects")
  func lookups() async throws {
    let workspace = try await open()
    defer { workspace.close() }
    let books = try workspace.fetch(for: Book.self).all()
    #expect(
      Array(books) == [
        Book(id: 7, title: "Emma", shelf: 1, reader: nil, room: "attic"),
        // A written value of another object is ignored, and there is no such shelf.
        Book(id: 8, title: "Ulysses", shelf: 2, reader: "ada", room: nil),
      ])
    #expect(try workspace.fetch(for: Book.self).where(Book.room == "attic").map(\.id) == [7])
    #expect(try workspace.fetch(for: Book.self).select(Book.room, orderBy: [Book.room.descending]) == ["attic", nil])
    try await workspace.performChanges([Book.self]) { context in
      try context.submit(Book.changeRequest(books[1]) { $0.shelf = 1 })
      // Changing only what is not in the table changes nothing.
      let outcome = try context.submit(Book.changeRequest(books[0]) { $0.room = "cellar" })
      #expect(outcome.object?.title == "Emma")
      if case .updated = outcome { Issue.record("it has no such column") }
    }
    #expect(try workspace.fetch(for: Book.self).where(Book.id == 8).first?.room == "attic")
  }

  @Test("are not created when the workspace is opened, nor is anything beside them")
  func tables() async throws {
    let workspace = try await open()
    defer { workspace.close() }
    let tables = try await workspace.read {
      try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    #expect(tables == ["shelf", "book", "lease_record"])
    #expect(try workspace.mappingFaults(of: schema()).isEmpty)
  }

  @Test("report where they do not fit the tables")
  func faults() async throws {
    let workspace = try await open()
    defer { workspace.close() }
    let faults = try workspace.mappingFaults(of: schema([WrongBook.self, IncompleteBook.self]))
    #expect(faults.count == 2)
    #expect(faults.first?.contains("book.title is TEXT NOT NULL in the file but INTEGER NOT NULL") == true)
    #expect(faults.last?.contains("title is required in the file") == true)
  }

  private func plan(_ workspace: OpenWorkspace, _ condition: Condition<Book>?, _ order: [Ordering<Book>] = []) throws
    -> String
  {
    try workspace.read { db in
      let statement = db.fetch(for: Book.self).statement(where: condition, orderBy: order)
      let values: [String?] = statement.values.map { if case .text(let text) = $0 { text } else { nil } }
      return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: StatementArguments(values))
        .map { $0["detail"] as String }.joined(separator: "; ")
    }
  }

  @Test("find optional values by an index without missing ones, and are not sorted if an index has the order")
  func plans() async throws {
    let workspace = try await open()
    defer { workspace.close() }
    #expect(try plan(workspace, Book.reader == "ada").contains("USING INDEX book_lent"))
    #expect(try !plan(workspace, !(Book.reader == "ada")).contains("book_lent"))
    let order = [Book.title.descending, Book.id.descending]
    let ordered = try plan(workspace, nil, order)
    #expect(ordered.contains("USING INDEX book_by_title"))
    #expect(!ordered.contains("TEMP B-TREE"))
  }

  @Test("are found by a condition in SQL combined with one of fields, as far as requested")
  func walk() async throws {
    let workspace = try await open()
    defer { workspace.close() }
    let both = Book.id > 6 && .sql("length(book.title) < ?", [.int(5)])
    #expect(try workspace.fetch(for: Book.self).where(both).map(\.title) == ["Emma"])
    try await workspace.read { db in
      var seen: [Int] = []
      try db.fetch(for: Book.self).walk(nil, orderBy: [Book.id.descending]) { book in
        seen.append(book.id)
        return false
      }
      #expect(seen == [8])
    }
  }
}
