import Foundation
import SQLite
import Testing
import Workspace

/// The same table in successive versions of a program.
private enum First {
  struct Person: Storable, Equatable {
    var id: Int
    var nick: String
    static let id = Field("id", \Person.id)
    static let nick = Field("nick", \Person.nick)
    static let schema = ObjectSchema("person", Person.init, id, nick, key: id, indexes: [.index(nick)])
  }
}

private enum Second {
  struct Person: Storable, Equatable {
    var id: Int
    var nick: String
    var age: Int?
    var town: String
    static let id = Field("id", \Person.id)
    static let nick = Field("nick", \Person.nick)
    static let age = Field("age", \Person.age)
    static let town = Field("town", \Person.town, default: "it's nowhere")
    static let schema = ObjectSchema(
      "person", Person.init, id, nick, age, town, key: id, indexes: [.index(nick), .index(town, age)])
  }
}

private enum Third {
  struct Person: Storable, Equatable {
    var id: Int
    var name: String
    var age: Int?
    static let id = Field("id", \Person.id)
    static let name = Field("name", \Person.name)
    static let age = Field("age", \Person.age)
    static let schema = ObjectSchema(
      "person", Person.init, id, name, age, key: id, indexes: [.unique(name)],
      migrations: [
        .rename("nick", to: "name"), .remove("town"),
        .sql("UPDATE person SET name = name || ' the ' || id WHERE id > 1"),
      ])
  }
}

/// Without the field `nick`, which every object in the file must have.
private enum Forgetful {
  struct Person: Storable, Equatable {
    var id: Int
    static let id = Field("id", \Person.id)
    static let schema = ObjectSchema("person", Person.init, id, key: id)
  }
}

private enum Careful {
  struct Person: Storable, Equatable {
    var id: Int
    static let id = Field("id", \Person.id)
    static let schema = ObjectSchema("person", Person.init, id, key: id, migrations: [.remove("nick")])
  }
}

@Suite("Schemas of objects")
struct SchemaTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open<T: Storable>(_ type: T.Type, _ mode: OpenWorkspace.Mode = .readWrite) throws -> OpenWorkspace {
    try OpenWorkspace.open(
      at: directory.workspace, schema: WorkspaceSchema(applicationID: 9, objects: [type]), mode: mode)
  }

  private func addTwins() async throws {
    let workspace = try open(First.Person.self)
    try await workspace.performChanges([First.Person.self]) { context in
      for id in 1...2 { try context.submit(First.Person.creationRequest(.init(id: id, nick: "ann"))) }
    }
    await workspace.shutdown()
  }

  @Test("An added field has its default, and an added index is built")
  func additions() async throws {
    try await addTwins()
    let workspace = try open(Second.Person.self)
    let people = try workspace.fetch(for: Second.Person.self).all()
    #expect(people.map(\.town) == ["it's nowhere", "it's nowhere"])
    // A transaction runs after the indexes that are built in the background.
    try await workspace.performChanges([Second.Person.self]) { context in
      try context.submit(Second.Person.changeRequest(people[0]) { $0.age = 40 })
    }
    let plan = try workspace.texts("EXPLAIN QUERY PLAN SELECT * FROM person WHERE town = 'x' AND age = 40", column: 3)
    #expect(plan.joined().contains("person_by_town_age"))
    #expect(try workspace.fetch(for: Second.Person.self).where(Second.Person.age == 40).map(\.id) == [1])
  }

  @Test("An older version can still read and write a file with more fields")
  func olderProgram() async throws {
    try open(Second.Person.self).close()
    try await addTwins()
    #expect(
      try open(Second.Person.self).fetch(for: Second.Person.self).all().map(\.town) == ["it's nowhere", "it's nowhere"])
  }

  @Test("A required field that is left out needs a migration, or the file is refused", arguments: [true, false])
  func requiredFieldLeftOut(isReadOnly: Bool) async throws {
    try await addTwins()
    let error = #expect(throws: WorkspaceError.self) {
      try open(Forgetful.Person.self, isReadOnly ? .readOnly : .readWrite)
    }
    #expect(error?.code == "workspace-schema")
    #expect(error?.description.contains("person.nick") == true)
    #expect(error?.description.contains(#".remove("nick")"#) == true)
    let workspace = try open(Careful.Person.self)
    try await workspace.performChanges([Careful.Person.self]) {
      try $0.submit(Careful.Person.creationRequest(.init(id: 3)))
    }
    #expect(try workspace.fetch(for: Careful.Person.self).all().map(\.id) == [1, 2, 3])
  }

  @Test("An index built while objects change contains all of them", arguments: 1...5)
  func indexMeanwhile(round: Int) async throws {
    let first = try open(First.Person.self)
    try await first.performChanges([First.Person.self]) { context in
      for id in 1...3000 { try context.submit(First.Person.creationRequest(.init(id: id, nick: "n\(id)"))) }
    }
    await first.shutdown()
    let workspace = try open(Second.Person.self)
    // These are submitted while the index is being built, or wait for it.
    for id in stride(from: round, through: 3000, by: 500) {
      try await workspace.performChanges([Second.Person.self]) { context in
        try context.update(
          Second.Person.self, set: [Second.Person.town.set("Oslo")], where: Second.Person.id == id)
      }
    }
    let expected = Array(stride(from: round, through: 3000, by: 500))
    #expect(try workspace.fetch(for: Second.Person.self).where(Second.Person.town == "Oslo").map(\.id) == expected)
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("Numbered migrations run once, before fields are added")
  func migrations() async throws {
    try await addTwins()
    for _ in 0..<2 {
      let workspace = try open(Third.Person.self)
      #expect(
        try workspace.fetch(for: Third.Person.self).all().map(\.self) == [
          .init(id: 1, name: "ann", age: nil), .init(id: 2, name: "ann the 2", age: nil),
        ])
      workspace.close()
    }
  }

  @Test("A new file needs no migrations")
  func newFile() async throws {
    let workspace = try open(Third.Person.self)
    try await workspace.performChanges([Third.Person.self]) {
      try $0.submit(Third.Person.creationRequest(.init(id: 1, name: "a")))
    }
    #expect(try workspace.fetch(for: Third.Person.self).count() == 1)
  }

  @Test("A table of a newer version is refused, and the file is not changed")
  func newer() async throws {
    let workspace = try open(Third.Person.self)
    await workspace.shutdown()
    let before = try Data(contentsOf: URL(fileURLWithPath: workspace.path))
    for mode in [OpenWorkspace.Mode.readWrite, .readOnly] {
      #expect(throws: WorkspaceError.newerSchema(path: workspace.path, found: 3, known: 0)) {
        try open(First.Person.self, mode)
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: workspace.path)) == before)
  }

  private struct Renamed: Storable {
    var id: Int
    var nick: Int
    static let id = Field("id", \Renamed.id)
    static let nick = Field("nick", \Renamed.nick)
    static let schema = ObjectSchema("person", Renamed.init, id, nick, key: id)
  }

  private struct Strict: Storable {
    var id: Int
    var nick: String
    var must: String
    static let id = Field("id", \Strict.id)
    static let nick = Field("nick", \Strict.nick)
    static let must = Field("must", \Strict.must)
    static let schema = ObjectSchema("person", Strict.init, id, nick, must, key: id)
  }

  private struct Unique: Storable {
    var id: Int
    var nick: String
    static let id = Field("id", \Unique.id)
    static let nick = Field("nick", \Unique.nick)
    static let schema = ObjectSchema("person", Unique.init, id, nick, key: id, indexes: [.unique(nick)])
  }

  private struct Misnamed: Storable {
    var id: Int
    static let id = Field("id; DROP", \Misnamed.id)
    static let schema = ObjectSchema("x", Misnamed.init, id, key: id)
  }

  @Test("A declaration that does not fit the file is refused with advice", arguments: 0..<4)
  func unsuitable(which: Int) async throws {
    try await addTwins()
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.workspace + "/workspace.db"))
    let (type, part): (any Storable.Type, String) = [
      (Renamed.self, "add a migration"), (Strict.self, "give it a default"), (Unique.self, "makes them different"),
      (Misnamed.self, "letters, digits"),
    ][which]
    let error = #expect(throws: WorkspaceError.self) { try open(type) }
    #expect(error?.code == "workspace-schema")
    #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.workspace + "/workspace.db")) == before)
  }

  @Test("Using a type without which the workspace was opened is a typed error")
  func unknownType() throws {
    let workspace = try open(First.Person.self)
    #expect(throws: WorkspaceError.unknownType(path: workspace.path, type: "Job")) {
      try workspace.fetch(for: Job.self).all()
    }
  }

  @Test("A workspace without objects has no tables for them")
  func withoutObjects() throws {
    let workspace = try openNumbers(directory)
    #expect(try workspace.read { try !$0.tableExists("object_schema") })
  }
}
