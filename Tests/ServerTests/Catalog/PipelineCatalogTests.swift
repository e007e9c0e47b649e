import Foundation
import PipelineEngine
import PipelineLanguage
import RunHistory
import RunReports
import Synchronization
import Testing

@testable import Server

@Suite("The pipelines of folders")
struct PipelineCatalogTests {
  private static let value = "operations: [{ name: a, value: 1 }]"

  /// Folders of pipelines, and a catalog of them that reads what a test lets it.
  private final class Shelf: Sendable {
    let path = NSTemporaryDirectory() + "penstock-catalog-\(UUID().uuidString)"
    private let host: RunHost
    /// The error numbers of folders that cannot be read, by their paths below this one.
    let failures = Mutex<[String: Int32]>([:])
    private let catalog: Mutex<PipelineCatalog>

    init(_ pipelines: [String: String], roots: [String]) throws {
      for (name, text) in pipelines { try Self.write(text, to: "\(path)/\(name)") }
      let host = try RunHost.open(workspace: path + "/workspace", durability: .process)
      self.host = host
      let failing = Failing()
      let path = path
      catalog = Mutex(
        PipelineCatalog(
          paths: roots.map { "\(path)/\($0)" }, of: HostDefinition(), plugins: .none, host: host, version: "test"
        ) { folder throws(PipelineFiles.Unreadable) in
          if let number = failing.number(of: folder.replacing("\(path)/", with: "")) {
            throw PipelineFiles.Unreadable(number: number)
          }
          return try PipelineFiles.system(folder)
        })
      failing.shelf = self
    }

    /// What the closure of the catalog asks.
    private final class Failing: @unchecked Sendable {
      // @unchecked: written once, before it is asked.
      weak var shelf: Shelf?

      func number(of folder: String) -> Int32? { shelf?.failures.withLock { $0[folder] } }
    }

    func look() -> PipelineCatalog.Difference { catalog.withLock { $0.look() } }
    var problems: [String] { catalog.withLock { $0.folderProblems }.map { $0.replacing("\(path)/", with: "") } }
    var names: [String] { catalog.withLock { $0.pipelines.map(\.name).sorted() } }

    static func write(_ text: String, to path: String) throws {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func write(_ text: String, to name: String) throws { try Self.write(text, to: "\(path)/\(name)") }
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    /// What is told of a look, without the path.
    func told(_ difference: PipelineCatalog.Difference) -> [String] {
      difference.notices.map { ($0.isProblem ? "! " : "") + $0.message.replacing("\(path)/", with: "") }
    }

    func close() async throws {
      try await host.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(
    "are kept while their folder cannot be read, with the finding, and the others are updated",
    arguments: [EIO, EACCES])
  func unreadable(number: Int32) async throws {
    let shelf = try Shelf(
      ["all/web/one.yaml": Self.value, "all/web/deep/two.yaml": Self.value, "all/other.yaml": Self.value],
      roots: ["all"])
    #expect(shelf.look().begun.count == 3)
    shelf.failures.withLock { $0 = ["all/web": number] }
    try shelf.write("operations: [{ name: a, value: 2 }]", to: "all/other.yaml")
    let reason =
      "cannot search 'all/web': \(String(cString: strerror(number))); its pipelines stay in effect as last loaded"
    let difference = shelf.look()
    #expect(!difference.isIncomplete)
    #expect(shelf.told(difference) == ["! \(reason)"])
    #expect(difference.begun.map(\.name) == ["other"])
    #expect(difference.ended == [])
    #expect(shelf.names == ["one", "other", "two"])
    #expect(shelf.problems == [reason])
    let published = Dictionary(uniqueKeysWithValues: difference.changed.map { ($0.name, $0) })
    #expect(published["one"]?.problem?.replacing("\(shelf.path)/", with: "") == reason)
    #expect(published["two"]?.isLoaded == true && published["other"]?.problem == nil)
    #expect(shelf.told(shelf.look()) == [])
    shelf.failures.withLock { $0 = [:] }
    let again = shelf.look()
    #expect(shelf.told(again) == ["'all/web' can be searched again"])
    #expect(again.begun.isEmpty && again.changed.allSatisfy { $0.problem == nil } && again.changed.count == 2)
    #expect(shelf.problems == [])
    try await shelf.close()
  }

  @Test("do not include other files with such names, each of which is reported once")
  func leftOut() async throws {
    let shelf = try Shelf(["all/one.yaml": Self.value], roots: ["all"])
    #expect(mkfifo("\(shelf.path)/all/two.yaml", 0o600) == 0)
    let sentence = "'all/two.yaml' is a FIFO or pipe, not a pipeline file; ignoring it"
    let difference = shelf.look()
    #expect(shelf.told(difference) == ["! \(sentence)"])
    #expect(shelf.problems == [sentence])
    #expect(shelf.names == ["one"])
    #expect(shelf.told(shelf.look()) == [])
    try shelf.remove("all/two.yaml")
    try shelf.write(Self.value, to: "all/two.yaml")
    #expect(shelf.look().begun.map(\.name) == ["two"])
    #expect(shelf.problems == [])
    try await shelf.close()
  }

  @Test("are loaded again when a pipeline appears that they run")
  func nested() async throws {
    let shelf = try Shelf(["all/one.yaml": "operations: [{ name: a, pipeline: _inner.yaml }]"], roots: ["all"])
    #expect(shelf.look().begun.isEmpty)
    try shelf.write(Self.value, to: "all/_inner.yaml")
    #expect(shelf.look().begun.map(\.name) == ["one"])
    try shelf.remove("all/_inner.yaml")
    #expect(shelf.look().changed.map { $0.problem == nil } == [false])
    try shelf.write("operations: [{ name: a, value: 2 }]", to: "all/_inner.yaml")
    #expect(shelf.look().begun.map(\.name) == ["one"])
    try await shelf.close()
  }

  @Test("that name an executor which is not defined are not served")
  func executors() async throws {
    let shelf = try Shelf(
      ["all/one.yaml": "{ executor: nowhere, operations: [{ name: a, run: 'true' }] }"], roots: ["all"])
    let difference = shelf.look()
    #expect(difference.begun.isEmpty)
    #expect(difference.changed.map { $0.problem?.contains("nowhere") } == [true])
    try await shelf.close()
  }

  @Test("are kept while there is no descriptor to read them, and are read again")
  func shortage() async throws {
    let shelf = try Shelf(["all/web/one.yaml": Self.value, "all/other.yaml": Self.value], roots: ["all"])
    _ = shelf.look()
    try shelf.remove("all/other.yaml")
    shelf.failures.withLock { $0 = ["all/web": EMFILE] }
    let difference = shelf.look()
    #expect(difference.isIncomplete && difference.ended.isEmpty && difference.notices.isEmpty)
    #expect(shelf.names == ["one", "other"])
    shelf.failures.withLock { $0 = [:] }
    #expect(shelf.look().ended == ["other"])
    try await shelf.close()
  }

  @Test("are removed with a named folder, also if it is a dangling link, and return with it")
  func goneRoot() async throws {
    let shelf = try Shelf(
      ["real/all/one.yaml": Self.value, "real/all/deep/two.yaml": Self.value, "others/other.yaml": Self.value],
      roots: ["all", "others"])
    try FileManager.default.createSymbolicLink(
      atPath: shelf.path + "/all", withDestinationPath: shelf.path + "/real/all")
    _ = shelf.look()
    try FileManager.default.moveItem(atPath: shelf.path + "/real/all", toPath: shelf.path + "/moved")
    let difference = shelf.look()
    #expect(difference.ended.sorted() == ["one", "two"])
    let sentence = "the folder 'all' does not exist; its pipelines will be served once it does"
    #expect(shelf.told(difference) == ["! \(sentence)"])
    #expect(shelf.problems == [sentence])
    #expect(shelf.names == ["other"])
    #expect(shelf.told(shelf.look()) == [])
    try FileManager.default.moveItem(atPath: shelf.path + "/moved", toPath: shelf.path + "/real/all")
    let again = shelf.look()
    #expect(again.begun.map(\.name).sorted() == ["one", "two"])
    #expect(shelf.told(again) == ["'all' can be searched again"])
    #expect(shelf.problems == [])
    try await shelf.close()
  }

  @Test("are removed if their folder becomes a file, which is not a pipeline of its name")
  func file() async throws {
    let shelf = try Shelf(["all/one.yaml": Self.value, "others/all.yaml": Self.value], roots: ["all", "others"])
    _ = shelf.look()
    try shelf.remove("all")
    try shelf.write("garbage", to: "all")
    let difference = shelf.look()
    #expect(difference.ended == ["one"] && difference.changed.isEmpty)
    #expect(
      shelf.told(difference) == ["! 'all' is no longer a folder; its pipelines will be served once it is one again"])
    try shelf.remove("all")
    try shelf.write(Self.value, to: "all/one.yaml")
    #expect(shelf.look().begun.map(\.name) == ["one"])
    try await shelf.close()
  }

  @Test("are removed with their subfolder, which is reported once")
  func goneFolder() async throws {
    let shelf = try Shelf(
      ["all/web/one.yaml": Self.value, "all/web/deep/two.yaml": Self.value, "all/other.yaml": Self.value],
      roots: ["all"])
    _ = shelf.look()
    try shelf.remove("all/web")
    let difference = shelf.look()
    #expect(difference.ended.sorted() == ["one", "two"])
    #expect(shelf.told(difference) == ["the folder 'all/web' was removed; its pipelines are no longer served"])
    #expect(shelf.problems == [])
    try await shelf.close()
  }

  @Test("keep the former version of both files if one takes the name of the other, until that is corrected")
  func takenName() async throws {
    let shelf = try Shelf(["all/one.yaml": Self.value, "all/two.yaml": Self.value], roots: ["all"])
    _ = shelf.look()
    try shelf.write("name: one\n" + Self.value, to: "all/two.yaml")
    let difference = shelf.look()
    #expect(difference.begun.isEmpty && difference.ended.isEmpty)
    #expect(shelf.names == ["one", "two"])
    let problem = "'all/one.yaml' and 'all/two.yaml' have the same pipeline name 'one'; rename one of them"
    #expect(
      shelf.told(difference)
        == ["one", "two"].map { "! '\($0)' is invalid; its last good version stays in effect: \(problem)" })
    #expect(shelf.look().changed.isEmpty)
    try shelf.write("operations: [{ name: a, value: 2 }]", to: "all/two.yaml")
    let corrected = shelf.look()
    #expect(corrected.begun.map(\.name) == ["two"] && corrected.ended.isEmpty)
    #expect(shelf.told(corrected) == ["'one' is valid again", "'two' is valid again"])
    // Where the other one goes instead, the name is free.
    try shelf.write("name: one\n" + Self.value, to: "all/two.yaml")
    _ = shelf.look()
    try shelf.remove("all/one.yaml")
    let taken = shelf.look()
    #expect(taken.ended == ["two"] && taken.begun.map(\.name) == ["one"])
    try await shelf.close()
  }

  @Test("may be 10,000, and those with errors do not affect the others")
  func many() async throws {
    var files: [String: String] = [:]
    for number in 0..<10_000 {
      files["all/\(number / 100)/p\(number).yaml"] = number % 1000 == 7 ? "operations: [" : Self.value
    }
    let shelf = try Shelf(files, roots: ["all"])
    var difference = shelf.look()
    // Other tests of this process may leave no descriptor for a moment: then a host looks again, too.
    for _ in 0..<100 where difference.isIncomplete { difference = shelf.look() }
    #expect(difference.begun.count == 9990)
    #expect(difference.changed.count == 10_000)
    #expect(difference.notices.count == 10)
    try shelf.write("operations: [{ name: a, value: 2 }]", to: "all/50/p5000.yaml")
    let next = shelf.look()
    #expect(next.begun.map(\.name) == ["p5000"])
    #expect(next.changed.count == 1 && next.ended.isEmpty && next.notices.isEmpty)
    try await shelf.close()
  }

  @Test("of a host are removed with their folder, as the status says, and return with it")
  func served() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      #expect(try history.publishedPipelines().map(\.name) == ["one"])
      let away = bench.directory + "/away"
      try FileManager.default.moveItem(atPath: bench.folder, toPath: away)
      try await eventually { try history.publishedPipelines().isEmpty }
      let sentence = "the folder '\(bench.folder)' does not exist; its pipelines will be served once it does"
      #expect(try StatusReport(of: [], in: history).problems == [sentence])
      #expect(bench.log.contains { $0.hasSuffix("error: \(sentence)") })
      // It is told once the history knows.
      try await eventually { bench.log.contains { $0.hasSuffix("'one' is no longer served") } }
      try FileManager.default.moveItem(atPath: away, toPath: bench.folder)
      try await eventually { try history.publishedPipelines().map(\.name) == ["one"] }
      #expect(try StatusReport(of: [], in: history).problems.isEmpty)
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .succeeded }
    }
  }
}
