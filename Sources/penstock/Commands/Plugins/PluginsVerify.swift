import ArgumentParser
import PluginHost
import Values

struct PluginsVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check plugin files against plugins.lock, or pin them",
    discussion: """
      Loads nothing. A plugin fails when it is damaged, built for another computer or another version of the \
      contract, when others can write to it or to a directory above it, or when its SHA-256 is not the one in \
      plugins.lock.

      Without arguments, checks the plugins in plugins.lock or, if that does not exist, all that are found. \
      --write checks the same plugins and, unless one of them fails, pins them as they are now. Pipelines in the \
      directory of plugins.lock load only what it allows. Exits with 1 when a plugin fails.

        penstock plugins verify
        penstock plugins verify --write calendar ./mine.so
      """)

  @Flag(help: "Write plugins.lock") var write = false
  @Option(help: ArgumentHelp("The file with the pins", valueName: "file")) var lock = PluginLock.fileName
  @Argument(help: ArgumentHelp("The plugins, by id or file", valueName: "id-or-file"))
  var names: [String] = []
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var shared: SharedOptions

  /// The outcome for one plugin.
  private enum Outcome {
    case ok(sha256: String, isPinned: Bool)
    /// It had other pins before, or none.
    case pinned(sha256: String)
    case failed(PluginError)

    var word: String {
      switch self {
      case .ok: "ok"
      case .pinned: "pinned"
      case .failed: "failed"
      }
    }
  }

  func run() throws {
    var lock: PluginLock
    let exists: Bool
    do throws(PluginError) {
      let found = try PluginLock.read(self.lock)
      exists = found != nil
      lock = found ?? PluginLock(path: self.lock)
    } catch {
      throw CommandFailure(error)
    }
    let targets = targets(exists ? lock : nil)
    var pins: [(id: String, sha256: String, file: String)] = []
    var failures = 0
    for target in targets {
      let outcome = check(target, &lock)
      switch outcome {
      case .ok: break
      case .pinned(let hash): pins.append((target.id, hash, try target.file.get().path))
      case .failed: failures += 1
      }
      report(target, outcome)
    }
    summarize(targets.count, failures, isPinned: exists)
    guard failures == 0 else {
      if write {
        throw CommandFailure("\(self.lock) was not written, because not every plugin may be pinned", status: .failed)
      }
      throw ExitStatus.failed
    }
    guard write, !targets.isEmpty else { return }
    do throws(PluginError) {
      // Another process may have changed other lines meanwhile.
      try PluginLock.update(self.lock) { (lock) throws(PluginError) in
        for pin in pins { try lock.pin(pin.id, to: pin.sha256, file: pin.file) }
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  // MARK: Targets

  /// A plugin, or the error if there is none.
  fileprivate struct Target {
    var id: String
    var file: Result<PluginFile, PluginError>
  }

  private func targets(_ lock: PluginLock?) -> [Target] {
    let survey = PluginSurvey(plugins.finder)
    if !names.isEmpty {
      return names.map { name in
        let isPath = PluginSurvey.isPath(name)
        return target(isPath ? PluginFile.id(ofFile: name) : PluginFinder.plugin(of: name)) {
          () throws(PluginError) in try survey.file(named: name)
        }
      }
    }
    guard let lock else {
      let (files, errors) = survey.finder.all()
      return files.map { Target(id: $0.id, file: .success($0)) }
        + errors.map { Target(id: "?", file: .failure($0)) }
    }
    var targets: [Target] = []
    for id in lock.ids {
      for target in self.targets(of: id, lock, survey)
      where !targets.contains(where: { $0.id == target.id && $0.isSameFile(as: target) }) { targets.append(target) }
    }
    return targets
  }

  /// Returns the files that a pinned id may stand for, or the error if there are none. The pins of an id are alternatives, so not all of their files must
  /// exist.
  private func targets(of id: String, _ lock: PluginLock, _ survey: PluginSurvey) -> [Target] {
    let found = target(id) { () throws(PluginError) in try survey.finder.find(id) }
    let paths = lock.lines.filter { $0.id == id }.compactMap(lock.file(of:))
    let pinned = paths.map { path in
      target(id) { () throws(PluginError) in try PluginFile(at: path, origin: .commandLine) }
    }
    // The file found by id is the one that runs; one found by path may be named in a pipeline file.
    let candidates = ([found] + pinned).filter { if case .success = $0.file { true } else { false } }
    if candidates.isEmpty { return [Target(id: id, file: missing(found, paths))] }
    // A plugin for another architecture is never loaded on this computer.
    let loadable = candidates.filter { !$0.isForAnotherProcessor }
    return loadable.isEmpty ? candidates : loadable
  }

  /// Returns the error for an id without a file, with all paths where it was searched for.
  private func missing(_ found: Target, _ paths: [String]) -> Result<PluginFile, PluginError> {
    guard case .failure(let error) = found.file, error.code == .notFound, !paths.isEmpty else { return found.file }
    let quoted = paths.map { "'\($0)'" }
    let pinned =
      quoted.count == 1
      ? "\(quoted[0]), where it was pinned, does not exist"
      : "none of \(quoted.joined(separator: ", ")), where it was pinned, is there"
    return .failure(PluginError(error.code, "\(pinned), and \(error.message)"))
  }

  private func target(_ id: String, _ file: () throws(PluginError) -> PluginFile) -> Target {
    do throws(PluginError) {
      return Target(id: id, file: .success(try file()))
    } catch {
      return Target(id: id, file: .failure(error))
    }
  }

  private func check(_ target: Target, _ lock: inout PluginLock) -> Outcome {
    do throws(PluginError) {
      let file = try target.file.get()
      let pin = lock.pin(target.id)
      let verified = try PluginVerifier().verify(file, pins: write ? [] : [pin].compactMap(\.self))
      let hash = try verified.sha256()
      guard write, pin?.hashes != [hash] else { return .ok(sha256: hash, isPinned: pin != nil) }
      try lock.pin(target.id, to: hash, file: verified.path)
      return .pinned(sha256: hash)
    } catch {
      return .failed(error)
    }
  }

  // MARK: Output

  private func report(_ target: Target, _ outcome: Outcome) {
    let path = (try? target.file.get())?.path
    shared.output.print(json(target, outcome, path)) { show(target, outcome, path) }
  }

  private func json(_ target: Target, _ outcome: Outcome, _ path: String?) -> JSONValue {
    var json: [(String, JSONValue)] = [("id", .string(target.id)), ("outcome", .string(outcome.word))]
    if let path { json.append(("path", .string(path))) }
    switch outcome {
    case .ok(let hash, let isPinned): json += [("sha256", .string(hash)), ("pinned", .bool(isPinned))]
    case .pinned(let hash): json += [("sha256", .string(hash)), ("pinned", .bool(true))]
    case .failed(let error):
      json.append(("error", ["code": .string(error.code.rawValue), "message": .string(error.message)]))
    }
    return JSONValue(members: json)
  }

  private func show(_ target: Target, _ outcome: Outcome, _ path: String?) {
    let (paint, text): (Style.Paint, String) =
      switch outcome {
      case .ok(let hash, let isPinned): (.green, "\(hash.prefix(12))  \(path ?? "")\(isPinned ? "" : "  (not pinned)")")
      case .pinned(let hash): (.yellow, "\(hash.prefix(12))  \(path ?? "")")
      case .failed(let error): (.boldRed, error.message)
      }
    if case .ok = outcome, shared.quiet { return }
    let word = shared.style.paint(outcome.word, paint) + String(repeating: " ", count: 8 - outcome.word.count)
    TextOutput.standard.writeLine(word + TerminalLines.visible("\(target.id)  \(text)"))
  }

  private func summarize(_ count: Int, _ failures: Int, isPinned: Bool) {
    guard shared.output.isTalkative else { return }
    guard count > 0 else { return TextOutput.standard.writeLine("No plugins.") }
    var text = "\(count) plugin\(count == 1 ? "" : "s"): \(count - failures) ok, \(failures) failed"
    if !isPinned, !write { text += ". \(lock) does not exist; create it with --write" }
    TextOutput.standard.writeLine(TerminalLines.visible(text))
  }
}

extension PluginsVerify.Target {
  fileprivate var isForAnotherProcessor: Bool {
    guard case .success(let file) = file else { return false }
    do throws(PluginError) {
      _ = try PluginVerifier().verify(file)
      return false
    } catch {
      return error.code == .wrongArchitecture
    }
  }

  fileprivate func isSameFile(as other: Self) -> Bool {
    guard case .success(let file) = file, case .success(let otherFile) = other.file else { return false }
    return file.identity.isSameFile(as: otherFile.identity)
  }
}
