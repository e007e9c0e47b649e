import PluginHost
import Values

/// What is known of a plugin's file.
struct PluginFacts {
  var file: PluginFile
  /// Where its code runs by default.
  var isolation: PluginReference.Isolation
  /// nil if it was refused.
  var verified: VerifiedPlugin?
  var sha256: String?
  /// Its own description; nil if it was not loaded.
  var description: PluginDescription?
  /// Why it cannot be used.
  var error: PluginError?

  /// The id in its description, else the one derived from its file's name.
  var id: String { description?.id ?? file.id }

  /// Returns the number of offers of a kind.
  func count(_ kind: PluginOffer.Kind) -> Int { description?.offers.count { $0.kind == kind } ?? 0 }
}

/// Examines plugin files: verifies them, and loads those that are not refused to read their descriptions.
struct PluginSurvey {
  let finder: PluginFinder
  private let host: PluginLoader

  init(_ finder: PluginFinder) {
    self.finder = finder
    host = PluginLoader(.forCommands(finder))
  }

  /// Returns the file that an argument names: a path if it has a slash or ends in `.so`, else the id of a plugin or of one of its offers.
  func file(named argument: String) throws(PluginError) -> PluginFile {
    guard Self.isPath(argument) else { return try finder.find(argument) }
    let file = try PluginFile(at: argument, origin: .commandLine)
    // If the file is also found by its id, use that entry: a standard plugin stays one regardless of the path given.
    return finder.all().files.first { $0.identity.isSameFile(as: file.identity) } ?? file
  }

  static func isPath(_ argument: String) -> Bool { argument.contains("/") || argument.hasSuffix(".so") }

  func facts(of file: PluginFile) -> PluginFacts {
    var facts = PluginFacts(file: file, isolation: file.isStandard ? .host : .process)
    do throws(PluginError) {
      let verified = try PluginVerifier().verify(file)
      facts.verified = verified
      facts.sha256 = try verified.sha256()
      facts.description = try host.plugin(in: file).description
    } catch {
      facts.error = error
    }
    return facts
  }

  /// Returns what is known of every file found, and the errors of those that could not be examined.
  func all() -> (facts: [PluginFacts], errors: [PluginError]) {
    let (files, errors) = finder.all()
    var facts = files.map(facts(of:))
    for index in facts.indices where facts[index].error == nil {
      guard let other = facts.first(where: { $0.id == facts[index].id && $0.file.path != facts[index].file.path })
      else {
        continue
      }
      facts[index].error = PluginError(
        .ambiguous,
        "'\(other.file.foundPath)' is also the plugin '\(other.id)'; remove one of them, or choose one with 'path' under 'plugins'"
      )
    }
    return (facts, errors)
  }
}

extension PluginLoader.Configuration {
  /// Creates the configuration of a host for one command that examines plugins without running them.
  static func forCommands(_ finder: PluginFinder) -> Self {
    Self(
      directories: finder.directories, files: finder.files, childHost: ChildHost.command,
      log: { level, plugin, message in
        guard level == .warning || level == .error else { return }
        TextOutput.error.writeMessage("penstock: plugin '\(plugin)': \(TerminalLines.visible(message))")
      }, willLoadIntoProcess: { HostedPlugins.prepare() }, willStartChildHost: { HostedPlugins.hide() })
  }
}

extension CommandFailure {
  /// Creates a failure: something missing is a usage error, and a refused plugin is a failed check.
  init(_ error: PluginError) {
    switch error.code {
    case .notFound, .ambiguous, .noSuchOffer, .lock: self.init(error.message, status: .usage)
    default: self.init(error.message, status: .failed)
    }
  }
}
