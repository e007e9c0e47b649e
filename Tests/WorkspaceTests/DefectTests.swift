import CLibSQLite
import Foundation
import Testing
import Workspace

/// Defects that were found by running a comparable library, and that this one must not have. Each test covers one of them.
@Suite("Defects of a comparable library")
struct DefectTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  private func change(_ id: String, _ body: @escaping @Sendable (inout Job) -> Void) async throws {
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.changeRequest(Job(id: id), body)) }
  }

  @Test("1: transactions over several types from several threads do not deadlock", .timeLimit(.minutes(10)))
  func deadlock() async throws {
    let workspace = workspace
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          await withCheckedContinuation { continuation in
            for number in 0..<200 {
              workspace.performChanges([Job.self, Note.self]) { context in
                context.try(submit: Note.upsertRequest(Note(number: 1, text: "\(number)")))
              } completionHandler: { _ in
                if number == 199 { continuation.resume() }
              }
            }
          }
        }
      }
    }
    #expect(try workspace.fetch(for: Note.self).all().map(\.text) == ["199"])
  }

  @Test("2: an undeclared type, or a conflict under try, does not end the process")
  func traps() async throws {
    try await workspace.performChanges([Job.self]) { context in
      #expect(context.try(submit: Note.creationRequest(Note(number: 1, text: ""))) == nil)
      let request = Job.creationRequest(Job(id: "a"))
      #expect(context.try(submit: request) == .inserted(Job(id: "a")))
      // The same request again, which is a conflict.
      #expect(context.try(submit: request) == nil)
    }
    #expect(try workspace.fetch(for: Job.self).count() == 1)
  }

  @Test("3: changing a key to that of another object is an error, and does not delete that object")
  func keyOntoKey() async throws {
    try await workspace.add([Job(id: "a"), Job(id: "b", attempt: 7)])
    let told = Collected<SubscribedObject<Job>>()
    let subscription = try workspace.subscribe(object: Job(id: "b", attempt: 7)) { told.append($0) }
    let error = await caught(ChangeError.self) { try await change("a") { $0.id = "b" } }
    #expect(error?.cause == .keyTaken)
    #expect(error?.key?.description == "'b'")
    #expect(try workspace.fetch(for: Job.self).all().map(\.attempt) == [1, 7])
    #expect(told.all.isEmpty)
    withExtendedLifetime(subscription) {}
  }

  @Test("4: changing a unique value to a taken one is an error, and both objects are still found")
  func uniqueOntoUnique() async throws {
    try await workspace.add([Job(id: "a", ticket: "1"), Job(id: "b", ticket: "2")])
    let error = await caught(ChangeError.self) { try await change("a") { $0.ticket = "2" } }
    #expect(error?.cause == .valueTaken(fields: ["ticket"]))
    #expect(try workspace.fetch(for: Job.self).where(Job.ticket == "2").map(\.id) == ["b"])
    #expect(try workspace.fetch(for: Job.self).all(orderBy: [Job.ticket.ascending]).map(\.id) == ["a", "b"])
  }

  @Test("5: a limit is applied after the order, even if no index has that order")
  func limitBeforeOrder() async throws {
    try await workspace.add(zip(1..., ["e", "d", "c", "b", "a"]).map { Job(id: "\($0)", pipeline: $1) })
    let found = try workspace.fetch(for: Job.self).all(limit: 2, orderBy: [Job.pipeline.ascending])
    #expect(found.map(\.pipeline) == ["a", "b"])
  }

  @Test("6: keys that differ only after a NUL are different")
  func textAfterNUL() async throws {
    try await workspace.add([Job(id: "a\u{0}b"), Job(id: "a\u{0}c"), Job(id: "a")])
    #expect(try workspace.job("a\u{0}c")?.id == "a\u{0}c")
    #expect(try workspace.fetch(for: Job.self).count() == 3)
    #expect(try workspace.fetch(for: Job.self).where(Job.id.contains("\u{0}c")).count == 1)
  }

  @Test("7: an object changed while an index is built is found by its new value, and the index is complete")
  func indexWhileBuilding() async throws {
    try await workspace.add((0..<2000).map { Job(id: "\($0)", attempt: 1) })
    try workspace.sql("DROP INDEX job_by_attempt")
    await workspace.shutdown()
    let again = try openJobs(directory)
    try await again.performChanges([Job.self]) { context in
      try context.submit(Job.changeRequest(Job(id: "7")) { $0.attempt = 5 })
      try context.submit(Job.deletionRequest(Job(id: "8")))
    }
    #expect(try again.texts("SELECT name FROM sqlite_schema WHERE name = 'job_by_attempt'").count == 1)
    #expect(try again.fetch(for: Job.self).where(Job.attempt == 5).map(\.id) == ["7"])
    #expect(try again.fetch(for: Job.self).count(where: Job.attempt == 1) == 1998)
    #expect(try again.checkIntegrity() == [])
  }

  @Test("8: an inner snapshot does not end the outer one, and other workspaces are read from their own file")
  func snapshots() throws {
    let elsewhere = try OpenWorkspace.open(at: directory.path + "/elsewhere", schema: .jobs, mode: .readWrite)
    try elsewhere.sql("INSERT INTO note VALUES (1, 'elsewhere')")
    try workspace.fetchWithinASnapshot { outer in
      try workspace.fetchWithinASnapshot { _ in try workspace.sql("INSERT INTO note VALUES (1, 'here')") }
      #expect(try outer.fetch(for: Note.self).count() == 0)
      #expect(try elsewhere.fetch(for: Note.self).all().map(\.text) == ["elsewhere"])
    }
  }

  @Test("9: a limited live result equals what a fresh query finds")
  func limitedLiveResult() async throws {
    try await workspace.add((1...5).map { Job(id: "\($0)", attempt: $0) })
    let told = Collected<[Int]>()
    let result = try workspace.fetch(for: Job.self).all(limit: 3, orderBy: [Job.attempt.ascending])
    let subscription = try workspace.subscribe(fetchedResult: result) { told.append($0.map(\.attempt)) }
    try await change("1") { $0.attempt = 10 }
    #expect(told.all == [[2, 3, 4]])
    withExtendedLifetime(subscription) {}
  }

  @Test("10: changes of another process reach subscribers")
  func otherProcess() async throws {
    try await workspace.add([Job(id: "a")])
    let told = Collected<SubscribedObject<Job>>()
    let subscription = try workspace.subscribe(object: Job(id: "a")) { told.append($0) }
    let count = Collected<Int>()
    let results = try workspace.subscribe(fetchedResult: workspace.fetch(for: Note.self).all()) {
      count.append($0.count)
    }
    for number in 2...4 {
      try inAnotherProcess(
        "UPDATE job SET attempt = \(number); INSERT INTO note VALUES (\(number), '')")
      try await eventually { told.all.last == .updated(Job(id: "a", attempt: number)) && count.all.last == number - 1 }
    }
    withExtendedLifetime((subscription, results)) {}
  }

  /// Runs SQL in the `sqlite3` shell.
  private func inAnotherProcess(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-cmd", ".timeout 5000", workspace.path, sql]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test("11: after an abort, what the transaction has written is not seen inside it")
  func abortedWrites() async throws {
    _ = await caught(ChangeError.self) {
      try await workspace.performChanges([Job.self]) { context in
        try context.submit(Job.creationRequest(Job(id: "a")))
        context.abort()
        #expect((try? context.fetch(for: Job.self).all()) == nil)
      }
    }
    #expect(try workspace.fetch(for: Job.self).count() == 0)
  }

  @Test("12: shutting down removes the log and ends subscriptions")
  func shutdown() async throws {
    try await workspace.add([Job(id: "a")])
    var states = workspace.publisher(for: Job(id: "a")).makeAsyncIterator()
    let (workspace, first) = (workspace, Collected<String>())
    let subscription = try workspace.subscribe(object: Job(id: "a")) { _ in first.append("told") }
    workspace.shutdown { first.append("down") }
    #expect(try await states.next() == nil)
    await workspace.shutdown()
    #expect(first.all == ["down"])
    withExtendedLifetime(subscription) {}
    #expect(!FileManager.default.fileExists(atPath: workspace.path + "-wal"))
  }
}
