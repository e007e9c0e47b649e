import ArgumentParser
import Foundation
import OperatingSystem
import PluginHost
import Synchronization

@testable import PipelineLanguage
@testable import penstock

/// `penstock check` of the files of a case, in the test process: the whole command except the start of a process.
///
/// For cases that do nothing else and depend only on their files. `FileCheckTests` compares it with the tool.
struct FileChecks {
  /// The arguments after `penstock check`, for each step.
  private let steps: [[String]]
  /// The contents of the case's files, by their paths in its directory.
  private let files: [String: [UInt8]]

  /// Nil for all other cases.
  init?(_ conformanceCase: ConformanceCase, _ expectation: Expectation) throws {
    guard expectation.environment.isEmpty, !conformanceCase.name.hasPrefix("plugins/") else { return nil }
    var steps: [[String]] = []
    for step in expectation.steps {
      guard let arguments = Self.arguments(of: step.script), step.checks.allSatisfy(\.isOfOutput) else { return nil }
      steps.append(arguments)
    }
    self.steps = steps
    var files: [String: [UInt8]] = [:]
    if let pipeline = conformanceCase.pipeline { files["case.yaml"] = [UInt8](try Data(contentsOf: pipeline)) }
    for file in expectation.files { files[file.path] = Array((file.lines.joined(separator: "\n") + "\n").utf8) }
    self.files = files
  }

  /// Returns the arguments if all are words without special meaning to a shell.
  private static func arguments(of script: String) -> [String]? {
    guard let call = script.wholeMatch(of: /penstock check((?: [A-Za-z0-9_.\/-]+)+)/) else { return nil }
    return call.1.split(separator: " ").map(String.init)
  }

  /// Returns the outcome of each step; nil if it depends on the directory or on plugins, which are not loaded here.
  func outcomes() async throws -> [CaseRun.Outcome]? {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result { try check() }) }
      // The same size as in the tool, for deeply nested files.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func check() throws -> [CaseRun.Outcome]? {
    let plugins = AbsentPlugins()
    var outcomes: [CaseRun.Outcome] = []
    for arguments in steps {
      guard let command = try Check.parseAsRoot(arguments) as? Check else { return nil }
      let (output, errors) = (try WrittenText(), try WrittenText())
      let status = try command.report(on: output.text, errors: errors.text, readingHost: host) {
        load($0, plugins, $1)
      }.status
      outcomes.append(
        CaseRun.Outcome(exitCode: status.rawValue, output: try output.read(), error: try errors.read()))
    }
    let directory = FileManager.default.currentDirectoryPath
    let isNamed = outcomes.contains { $0.output.contains(directory) || $0.error.contains(directory) }
    return plugins.wereWanted || isNamed ? nil : outcomes
  }

  private func host(_ path: String) -> HostLoadResult {
    guard let bytes = files[path] else { return HostDefinition.load(path: path) }
    return HostDefinition.load(text: String(decoding: bytes, as: UTF8.self), path: path)
  }

  private func load(_ path: String, _ plugins: AbsentPlugins, _ host: HostSource) -> LoadResult {
    guard let bytes = files[path] else {
      return PipelineLoader.load(path: path, plugins: .catalog(plugins), host: host)
    }
    let texts = files.map { (PathText.absolute($0.key), String(decoding: $0.value, as: UTF8.self)) }
    return LoadSession(plugins: .catalog(plugins), host: host, texts: Dictionary(uniqueKeysWithValues: texts))
      .load(SourceText(path: path, bytes: bytes))
  }
}

extension Expectation.Check {
  fileprivate var isOfOutput: Bool {
    switch self {
    case .standardOutput, .standardError: true
    case .records, .contents: false
    }
  }
}

/// An anonymous file that the command writes to.
private final class WrittenText {
  let text: TextOutput
  private let file: UnsafeMutablePointer<FILE>

  init() throws {
    guard let file = tmpfile() else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.file = file
    text = TextOutput(descriptor: fileno(file), capacity: 1 << 16)
  }

  func read() throws -> String {
    text.flush()
    let handle = FileHandle(fileDescriptor: fileno(file), closeOnDealloc: false)
    try handle.seek(toOffset: 0)
    return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
  }

  deinit { fclose(file) }
}

/// A catalog without plugins that records whether one was requested.
private final class AbsentPlugins: PluginCatalog {
  private let wanted = Mutex(false)

  var wereWanted: Bool { wanted.withLock { $0 } }

  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin {
    wanted.withLock { $0 = true }
    throw PluginError(.notFound, "there is no plugin '\(id)'")
  }

  var knownIDs: [String] {
    wanted.withLock { $0 = true }
    return []
  }

  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String) {}
}
