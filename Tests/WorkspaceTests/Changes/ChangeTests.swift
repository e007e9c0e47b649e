import Foundation
import SQLite
import Testing
import Workspace

@Suite("Changes")
struct ChangeTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  @discardableResult
  private func perform<Value: Sendable>(
    _ types: [any Storable.Type] = [Job.self], _ body: @escaping @Sendable (ChangeContext) throws -> Value
  ) async throws -> Value {
    try await workspace.performChanges(types, changesHandler: body)
  }

  @Test("Creation, change, upsert and deletion have and report their effects")
  func requests() async throws {
    let results = try await perform { context in
      let a = Job(id: "a")
      var b = a
      b.attempt = 2
      return [
        try context.submit(Job.creationRequest(a)), try context.submit(Job.changeRequest(a) { $0.attempt += 1 }),
        try context.submit(Job.upsertRequest(b)), try context.submit(Job.upsertRequest(Job(id: "c"))),
        try context.submit(Job.upsertRequest(a)), try context.submit(Job.deletionRequest(b)),
      ]
    }
    var changed = Job(id: "a")
    changed.attempt = 2
    #expect(
      results.prefix(5) == [
        .inserted(Job(id: "a")), .updated(changed), .identity(changed), .inserted(Job(id: "c")), .updated(Job(id: "a")),
      ])
    guard case .deleted(let key) = results[5] else {
      Issue.record("\(results[5])")
      return
    }
    #expect(key.description == "'a'")
    #expect(try workspace.fetch(for: Job.self).all().map(\.id) == ["c"])
  }

  @Test("A change starts from the stored copy, so that no concurrent change is lost")
  func seeded() async throws {
    let stale = Job(id: "a")
    try await workspace.add([stale])
    _ = try await perform { try $0.submit(Job.changeRequest(stale) { $0.attempt = 9 }) }
    _ = try await perform { try $0.submit(Job.changeRequest(stale) { $0.state = .failed }) }
    let job = try #require(try workspace.job("a"))
    #expect(job.attempt == 9)
    #expect(job.state == .failed)
  }

  @Test("A transaction that throws has no effect, and its error is rethrown")
  func throwing() async throws {
    struct Refusal: Error {}
    let error = await caught(Refusal.self) {
      try await perform { context in
        try context.submit(Job.creationRequest(Job(id: "a")))
        throw Refusal()
      }
    }
    #expect(error != nil)
    #expect(try workspace.fetch(for: Job.self).count() == 0)
  }

  @Test("An aborted transaction has no effect, neither before nor after the abort, and cannot be read")
  func aborting() async throws {
    let error = await caught(ChangeError.self) {
      try await perform { context in
        try context.submit(Job.creationRequest(Job(id: "a")))
        #expect(context.abort())
        #expect(!context.abort())
        #expect(context.try(submit: Job.creationRequest(Job(id: "b"))) == nil)
        #expect(throws: ChangeError(cause: .aborted)) { try context.fetch(for: Job.self).all() }
      }
    }
    #expect(error == ChangeError(cause: .aborted))
    #expect(try workspace.fetch(for: Job.self).count() == 0)
    try await workspace.add([Job(id: "c")])
    #expect(try workspace.fetch(for: Job.self).count() == 1)
  }

  @Test("A transaction aborted or lost in the closure of a change writes nothing outside of itself")
  func abortingInside() async throws {
    try await workspace.add([Job(id: "a")])
    let error = await caught(ChangeError.self) {
      try await perform { context in
        try context.submit(
          Job.changeRequest(Job(id: "a")) { job in
            job.attempt = 7
            context.abort()
          })
      }
    }
    #expect(error == ChangeError(cause: .aborted))
    #expect(try workspace.job("a")?.attempt == 1)
    let pages = try workspace.texts("SELECT CAST(page_count + 5 AS TEXT) FROM pragma_page_count")[0]
    try workspace.sql("PRAGMA max_page_count = \(pages)")
    let full = await caught(ChangeError.self) {
      try await perform { context in
        try context.submit(
          Job.changeRequest(Job(id: "a")) { job in
            job.attempt = 7
            context.try(submit: Job.creationRequest(Job(id: "b", log: Array(repeating: 1, count: 1 << 20))))
          })
      }
    }
    #expect(full?.cause == .workspace(.full(path: workspace.path)))
    #expect(try workspace.fetch(for: Job.self).all().map(\.attempt) == [1])
  }

  @Test("Writing inside a transaction without its context is an error, and closing waits for its end")
  func nested() async throws {
    let workspace = workspace
    try await perform { context in
      try context.submit(Job.creationRequest(Job(id: "a")))
      let locked = WorkspaceError.locked(path: workspace.path)
      #expect(throws: locked) { try workspace.write { try $0.execute(sql: "DELETE FROM job") } }
      #expect(throws: locked) { try workspace.vacuum() }
    }
    func writeInside() throws {
      try workspace.write { _ in
        _ = #expect(throws: WorkspaceError.locked(path: workspace.path)) { try workspace.write { _ in } }
      }
    }
    try writeInside()
    try await perform { context in
      try context.submit(Job.creationRequest(Job(id: "b")))
      workspace.close()
      try context.submit(Job.creationRequest(Job(id: "c")))
    }
    #expect(try openJobs(directory).fetch(for: Job.self).all().map(\.id) == ["a", "b", "c"])
  }

  @Test("A conflict on insert or update names table, key and fields, and undoes only that submission")
  func conflicts() async throws {
    try await workspace.add([Job(id: "a", ticket: "T-1"), Job(id: "b", ticket: "T-2")])
    let errors = try await perform { context in
      var errors: [ChangeError] = []
      let requests = [
        Job.creationRequest(Job(id: "a")), Job.creationRequest(Job(id: "x", ticket: "T-1")),
        Job.changeRequest(Job(id: "b")) { $0.id = "a" }, Job.changeRequest(Job(id: "b")) { $0.ticket = "T-1" },
        Job.upsertRequest(Job(id: "y", ticket: "T-2")), Job.changeRequest(Job(id: "z")) { $0.attempt = 4 },
        Job.deletionRequest(Job(id: "z")),
      ]
      for request in requests {
        do {
          try context.submit(request)
        } catch let error as ChangeError {
          errors.append(error)
        }
        #expect(context.try(submit: request) == nil)
      }
      try context.submit(Job.creationRequest(Job(id: "good")))
      return errors
    }
    #expect(
      errors.map(\.cause) == [
        .keyTaken, .valueTaken(fields: ["ticket"]), .keyTaken, .valueTaken(fields: ["ticket"]),
        .valueTaken(fields: ["ticket"]), .missing, .missing,
      ])
    #expect(errors.map { $0.key?.description } == ["'a'", "'x'", "'a'", "'b'", "'y'", "'z'", "'z'"])
    #expect(Set(errors.map(\.table)) == ["job"])
    let jobs = try workspace.fetch(for: Job.self).all()
    #expect(jobs.map(\.id) == ["a", "b", "good"])
    #expect(jobs.map(\.ticket) == ["T-1", "T-2", nil])
    #expect(try workspace.fetch(for: Job.self).where(Job.ticket == "T-1").map(\.id) == ["a"])
    #expect(try workspace.fetch(for: Job.self).where(Job.ticket == "T-2").map(\.id) == ["b"])
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("Composite and numeric keys conflict like others and can be changed")
  func otherKeys() async throws {
    let causes = try await perform([Cell.self, Note.self]) { context in
      try context.submit(Cell.creationRequest(Cell(row: 1, column: "a", value: nil)))
      try context.submit(Cell.creationRequest(Cell(row: 1, column: "b", value: 2)))
      try context.submit(Note.creationRequest(Note(number: 1, text: "")))
      var causes: [ChangeError.Cause?] = []
      func submit<T: Storable>(_ request: ChangeRequest<T>) {
        do {
          try context.submit(request)
          causes.append(nil)
        } catch {
          causes.append((error as? ChangeError)?.cause)
        }
      }
      submit(Cell.creationRequest(Cell(row: 1, column: "b", value: 3)))
      submit(Note.creationRequest(Note(number: 1, text: "")))
      submit(Cell.changeRequest(Cell(row: 1, column: "b", value: nil)) { $0.row = 2 })
      submit(Note.changeRequest(Note(number: 1, text: "")) { $0.number = -5 })
      return causes
    }
    #expect(causes == [.keyTaken, .keyTaken, nil, nil])
    #expect(
      try workspace.fetch(for: Cell.self).all().map(\.self) == [
        Cell(row: 1, column: "a", value: nil), Cell(row: 2, column: "b", value: 2),
      ])
    #expect(try workspace.fetch(for: Note.self).all().map(\.number) == [-5])
  }

  @Test("Submitting or fetching an undeclared type is refused, and the transaction can continue")
  func undeclared() async throws {
    _ = try await perform([Job.self]) { context in
      #expect(throws: ChangeError(table: "Note", cause: .undeclaredType)) {
        try context.submit(Note.creationRequest(Note(number: 1, text: "")))
      }
      #expect(throws: ChangeError(table: "Note", cause: .undeclaredType)) { try context.fetch(for: Note.self).all() }
      #expect(throws: ChangeError(table: "Note", cause: .undeclaredType)) { try context.delete(Note.self, where: nil) }
      try context.submit(Job.creationRequest(Job(id: "a")))
    }
    #expect(try workspace.fetch(for: Job.self).count() == 1)
    // A transaction without types does nothing.
    try await perform([]) { _ in }
  }

  @Test("A fetch inside a transaction sees what was submitted before it; one outside does not")
  func fetchInside() async throws {
    let workspace = workspace
    try await perform { context in
      try context.submit(Job.creationRequest(Job(id: "a")))
      #expect(try context.fetch(for: Job.self).where(Job.id == "a").count == 1)
      #expect(try workspace.fetch(for: Job.self).count() == 0)
      #expect(try context.fetch(for: Job.self).select(Job.id, Job.attempt).count == 1)
    }
  }

  @Test("Using a context after its transaction is a typed error")
  func leakedContext() async throws {
    final class Box: @unchecked Sendable { var context: ChangeContext? }
    let box = Box()
    try await perform { box.context = $0 }
    let context = try #require(box.context)
    #expect(throws: ChangeError(cause: .ended)) { try context.submit(Job.creationRequest(Job(id: "a"))) }
    #expect(throws: ChangeError(cause: .ended)) { try context.fetch(for: Job.self).all() }
    #expect(!context.abort())
  }

  @Test("Updates and deletions by query affect the matching objects and return their number")
  func byQuery() async throws {
    try await workspace.add((1...5).map { Job(id: "\($0)", attempt: $0) })
    let counts = try await perform { context in
      [
        try context.update(
          Job.self, set: [Job.state.set(.failed), Job.attempt.set(14)], where: Job.attempt > 3),
        try context.delete(Job.self, where: Job.attempt.between(2, 3)),
        try context.delete(Job.self, where: Job.id == "none"),
        try context.update(Job.self, set: [], where: nil),
      ]
    }
    #expect(counts == [2, 2, 0, 0])
    #expect(try workspace.fetch(for: Job.self).all().map(\.attempt) == [1, 14, 14])
    #expect(try workspace.fetch(for: Job.self).where(Job.state == .failed).map(\.id) == ["4", "5"])
    let error = await caught(ChangeError.self) {
      try await perform { try $0.update(Job.self, set: [Job.ticket.set("same")], where: nil) }
    }
    #expect(error?.cause == .valueTaken(fields: ["ticket"]))
    #expect(try workspace.fetch(for: Job.self).where(Job.ticket == "same").isEmpty)
  }

  @Test("Concurrent transactions over the same types all take effect, one at a time", .timeLimit(.minutes(10)))
  func manyThreads() async throws {
    let workspace = workspace
    try await perform([Note.self, Job.self]) { try $0.submit(Note.creationRequest(Note(number: 0, text: "0"))) }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let types: [any Storable.Type] = thread % 2 == 0 ? [Job.self, Note.self] : [Note.self, Job.self]
            _ = try? await workspace.performChanges(types) { context in
              let count = try context.fetch(for: Note.self).all().first.flatMap { Int($0.text) } ?? -1
              try context.submit(Job.creationRequest(Job(id: "\(thread)-\(round)", attempt: count)))
              try context.submit(Note.upsertRequest(Note(number: 0, text: "\(count + 1)")))
            }
          }
        }
      }
    }
    #expect(try workspace.fetch(for: Note.self).all().first?.text == "400")
    #expect(Set(try workspace.fetch(for: Job.self).all().map(\.attempt)) == Set(0..<400))
  }

  @Test("Transactions run and complete in the order of the calls; one begun inside another runs after it")
  func order() async throws {
    let workspace = workspace
    let seen = Collected<String>()
    @Sendable func end(_ name: String, _ continuation: CheckedContinuation<Void, Never>) {
      seen.append("end " + name)
      if seen.all.count(where: { $0.hasPrefix("end") }) == 21 { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      for number in 0..<20 {
        workspace.performChanges([Job.self]) { context in
          seen.append("run \(number)")
          if number == 0 {
            workspace.performChanges([Job.self]) { _ in
              seen.append("run inner")
            } completionHandler: { _ in
              end("inner", continuation)
            }
          }
          if number == 3 { context.abort() }
        } completionHandler: { _ in
          end("\(number)", continuation)
        }
      }
    }
    for verb in ["run", "end"] {
      let found = seen.all.filter { $0.hasPrefix(verb) && $0 != verb + " inner" }
      #expect(found == (0..<20).map { "\(verb) \($0)" })
    }
    let all = seen.all
    let inner = try #require(all.firstIndex(of: "run inner"))
    let outer = try #require(all.firstIndex(of: "run 0"))
    #expect(inner > outer)
  }

  @Test("A read-only workspace refuses changes with a typed error, and can be queried")
  func readOnly() async throws {
    try await workspace.add([Job(id: "a")])
    let reader = try openJobs(directory, mode: .readOnly)
    #expect(try reader.fetch(for: Job.self).count() == 1)
    let error = await caught(ChangeError.self) { try await reader.add([Job(id: "b")]) }
    #expect(error?.cause == .workspace(.readOnly(path: workspace.path)))
    #expect(error?.code == "workspace-read-only")
  }

  @Test("A full database undoes and fails the whole transaction, and is intact and usable afterwards")
  func full() async throws {
    try await workspace.add([Job(id: "a")])
    let pages = try workspace.texts("SELECT CAST(page_count + 20 AS TEXT) FROM pragma_page_count")[0]
    try workspace.sql("PRAGMA max_page_count = \(pages)")
    let error = await caught(ChangeError.self) {
      try await perform { context in
        try context.submit(Job.creationRequest(Job(id: "b")))
        for number in 0..<1000 {
          _ = context.try(submit: Job.creationRequest(Job(id: "c\(number)", log: Array(repeating: 1, count: 4096))))
        }
      }
    }
    #expect(error?.cause == .workspace(.full(path: workspace.path)))
    #expect(error?.table == "job")
    #expect(error?.key != nil)
    #expect(try workspace.fetch(for: Job.self).all().map(\.id) == ["a"])
    try await workspace.add([Job(id: "d")])
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("A row that the file rejects is a constraint error with SQLite's message, and undoes only that submission")
  func constraint() async throws {
    try workspace.sql(
      "CREATE TRIGGER no_nines BEFORE INSERT ON job WHEN new.attempt = 9 BEGIN SELECT RAISE(ABORT, 'no nines'); END")
    let error = try await perform { context in
      try context.submit(Job.creationRequest(Job(id: "a")))
      let error = #expect(throws: ChangeError.self) {
        try context.submit(Job.creationRequest(Job(id: "b", attempt: 9)))
      }
      try context.submit(Job.creationRequest(Job(id: "c")))
      return error
    }
    #expect(error?.cause == .constraint(message: "no nines"))
    #expect(error?.code == "change-constraint")
    #expect(error?.key?.description == "'b'")
    #expect(try workspace.fetch(for: Job.self).all().map(\.id) == ["a", "c"])
  }

  @Test("A change writes only the columns that differ, and the indexes over them")
  func columns() async throws {
    try await workspace.add([Job(id: "a", ticket: "T")])
    try workspace.sql(
      """
      CREATE TABLE written (name TEXT);
      CREATE TRIGGER on_attempt AFTER UPDATE OF attempt ON job BEGIN INSERT INTO written VALUES ('attempt'); END;
      CREATE TRIGGER on_state AFTER UPDATE OF state ON job BEGIN INSERT INTO written VALUES ('state'); END;
      CREATE TRIGGER on_ticket AFTER UPDATE OF ticket ON job BEGIN INSERT INTO written VALUES ('ticket'); END;
      """)
    try await perform { context in
      try context.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = 5 })
      try context.submit(Job.changeRequest(Job(id: "a")) { $0.state = .failed })
      try context.submit(Job.changeRequest(Job(id: "a")) { _ in })
    }
    #expect(try workspace.texts("SELECT name FROM written ORDER BY rowid") == ["attempt", "state"])
    let job = try #require(try workspace.job("a"))
    #expect(job == Job(id: "a", state: .failed, attempt: 5, ticket: "T"))
  }
}
