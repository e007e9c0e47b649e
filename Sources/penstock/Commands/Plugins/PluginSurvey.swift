import PluginHost
import Values

/// What can be told of the file of a plugin.
struct PluginFacts {
  var file: PluginFile
  /// Where its code runs unless a pipeline file says otherwise.
  var isolation: PluginReference.Isolation
  /// nil where it was refused.
  var verified: VerifiedPlugin?
  var sha256: String?
  /// What it says about itself; nil where it was not loaded.
  var description: PluginDescription?
  /// Why it cannot be used.
  var error: PluginError?

  /// The id that it says it has, else the one by its file's name.
  var id: String { description?.id ?? file.id }

  /// Offers of one kind.
  func count(_ kind: PluginOffer.Kind) -> Int { description?.offers.count { $0.kind == kind } ?? 0 }
}

/// Looks at files of plugins: verifies them, and loads those that are not refused to read their descriptions.
struct PluginSurvey {
  let finder: PluginFinder
  private let host: PluginLoader

  init(_ finder: PluginFinder) {
    self.finder = finder
    host = PluginLoader(.forCommands(finder))
  }

  /// The file that an argument names: a path when it has a slash or ends in `.so`, else the id of a plugin or of one of its offers.
  func file(named argument: String) throws(PluginError) -> PluginFile {
    guard Self.isPath(argument) else { return try finder.find(argument) }
    let file = try PluginFile(at: argument, origin: .commandLine)
    // One that is found by its id, too, is that one: a standard plugin stays one whatever path leads to it.
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

  /// What can be told of every file that is found, and why others could not be looked at.
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
        "'\(other.file.foundPath)' is the plugin '\(other.id)', too; remove one of them, or say which with 'path' under 'plugins'"
      )
    }
    return (facts, errors)
  }
}

extension PluginLoader.Configuration {
  /// Of a host for one command, which looks at plugins and does not run them.
  static func forCommands(_ finder: PluginFinder) -> Self {
    Self(
      directories: finder.directories, files: finder.files, childHost: ChildHost.command,
      log: { level, plugin, message in
        guard level == .warning || level == .error else { return }
        TextOutput.error.writeLine("penstock: plugin '\(plugin)': \(TerminalLines.visible(message))")
      }, willLoadIntoProcess: { HostedPlugins.prepare() }, willStartChildHost: { HostedPlugins.hide() })
  }
}

extension CommandFailure {
  /// What is not there is a wrong argument; a plugin that is refused is a failed check.
  init(_ error: PluginError) {
    switch error.code {
    case .notFound, .ambiguous, .noSuchOffer, .lock: self.init(error.message, status: .usage)
    default: self.init(error.message, status: .failed)
    }
  }
}
