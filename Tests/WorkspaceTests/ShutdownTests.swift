import Foundation
import Testing
import Workspace

@Suite("Shutting down")
struct ShutdownTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  @Test("What was begun completes, later work fails or finds nothing, and the completion comes last")
  func order() async throws {
    let workspace = workspace
    let seen = Collected<String>()
    let subscription = try workspace.subscribe(fetchedResult: workspace.fetch(for: Job.self).all()) {
      seen.append("told \($0.count > 0)")
    }
    await withCheckedContinuation { continuation in
      for number in 0..<5 {
        workspace.performChanges([Job.self]) {
          try $0.submit(Job.creationRequest(Job(id: "\(number)")))
        } completionHandler: { result in
          if case .success = result { seen.append("done \(number)") }
        }
      }
      workspace.shutdown {
        seen.append("down")
        continuation.resume()
      }
      #expect((try? workspace.fetch(for: Job.self).count()) == 0)
    }
    #expect(seen.all.filter { $0.hasPrefix("done") } == (0..<5).map { "done \($0)" })
    #expect(seen.all.contains("told true"))
    #expect(seen.all.last == "down")
    let error = await caught(ChangeError.self) { try await workspace.add([Job(id: "x")]) }
    #expect(error == ChangeError(cause: .workspace(.closed(path: workspace.path))))
    #expect(try workspace.fetch(for: Job.self).all().isEmpty)
    #expect(try workspace.fetchWithinASnapshot { try $0.fetch(for: Job.self).count() } == 0)
    await workspace.shutdown()
    #expect(try openJobs(directory).fetch(for: Job.self).count() == 5)
    withExtendedLifetime(subscription) {}
  }

  @Test("One database file remains, also if the workspace was only read")
  func oneFile() async throws {
    try await workspace.add([Job(id: "a")])
    for round in 0..<2 {
      let workspace = round == 0 ? self.workspace : try openJobs(directory)
      _ = try workspace.fetch(for: Job.self).all()
      await workspace.shutdown()
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.workspace).sorted()
      #expect(files == ["workspace.db", "workspace.hosts", "workspace.lock"])
    }
  }

  @Test("A workspace in use by another keeps its log and loses nothing")
  func twoUsers() async throws {
    let other = try openJobs(directory)
    try await workspace.add([Job(id: "a")])
    #expect(try other.fetch(for: Job.self).count() == 1)
    await workspace.shutdown()
    #expect(try other.fetch(for: Job.self).count() == 1)
    try await other.add([Job(id: "b")])
    #expect(try other.fetch(for: Job.self).count() == 2)
    #expect(try other.checkIntegrity() == [])
  }

  @Test("A running snapshot sees its state to the end")
  func snapshot() async throws {
    try await workspace.add([Job(id: "a")])
    let workspace = workspace
    let done = Collected<String>()
    let count = try workspace.fetchWithinASnapshot { snapshot in
      workspace.shutdown { done.append("down") }
      let count = try snapshot.fetch(for: Job.self).count()
      #expect(done.all.isEmpty)
      return count
    }
    #expect(count == 1)
    try await eventually { done.all == ["down"] }
  }

  @Test("A subscription to a workspace that was shut down ends immediately")
  func later() async throws {
    await workspace.shutdown()
    var states = workspace.publisher(for: Job(id: "a")).makeAsyncIterator()
    #expect(try await states.next() == nil)
  }

  @Test("A sequence ends when the workspace is closed")
  func closed() async throws {
    var results = workspace.publisher(for: Job.self).all().makeAsyncIterator()
    _ = try await results.next()
    workspace.close()
    #expect(try await results.next() == nil)
  }

  @Test("A backup is one file with everything up to an instant, and opens as a workspace")
  func backup() async throws {
    try await workspace.add((0..<500).map { Job(id: "\($0)") })
    let place = directory.path + "/backup"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let workspace = workspace
    async let writing: Void = workspace.add((500..<1000).map { Job(id: "\($0)") })
    for _ in 0..<2 { try workspace.backup(to: place + "/workspace.db") }
    try await writing
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["workspace.db"])
    let mode = try FileManager.default.attributesOfItem(atPath: place + "/workspace.db")[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    let copy = try OpenWorkspace.open(at: place, schema: .jobs, mode: .readWrite)
    let count = try copy.fetch(for: Job.self).count()
    #expect(count == 500 || count == 1000)
    #expect(try copy.checkIntegrity() == [])
    #expect(throws: WorkspaceError.self) { try workspace.backup(to: directory.path + "/none/workspace.db") }
  }

  @Test("The check finds a damaged file, and fetching from it is an error, not an empty result")
  func damaged() async throws {
    try await workspace.add((0..<500).map { Job(id: "\($0)", log: Array(repeating: 1, count: 100)) })
    await workspace.shutdown()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: workspace.path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: size / 2 / 4096 * 4096)
    try file.write(contentsOf: Data(repeating: 0xAA, count: 16384))
    try file.close()
    let again = try openJobs(directory)
    #expect(try !again.checkIntegrity().isEmpty)
    let error = await caught(WorkspaceError.self) { try again.fetch(for: Job.self).all() }
    #expect(error?.code == "workspace-corrupt")
  }
}
