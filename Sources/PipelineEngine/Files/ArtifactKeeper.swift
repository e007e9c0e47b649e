import Crypto
import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import Synchronization
import Values

/// Copies the artifacts of one attempt into the directory of its run.
///
/// Must be used off the event loop: it walks directories that may be large, and copies files. It follows no symbolic links below the directory of the
/// operation.
final class ArtifactKeeper: Sendable {
  /// What to copy: a path, or a pattern in which a backslash escapes the next character.
  struct Wanted: Sendable {
    let name: String
    let path: String
    let isPattern: Bool
  }

  /// The maximum number of files in all artifacts of an attempt.
  static let mostFiles = 10_000
  /// The maximum number of matches of one pattern, each of which is part of a record.
  static let mostMatches = 1_000
  static let mostBytes: Int64 = 4 << 30
  /// The maximum number of entries that a pattern may examine, whether they match or not.
  static let mostEntries = 200_000
  /// The maximum depth of nested directories: each level needs a descriptor.
  static let deepest = 64

  private let wanted: [Wanted]
  private let directory: String
  private let workspace: String
  private let run: RunID
  private let ordinal: Int
  private let attempt: Int
  /// Finds secrets; nil if the operation has received none.
  private let masker: SecretMasker?
  private let isCancelled = Atomic(false)

  init(
    _ wanted: [Wanted], of run: RunID, ordinal: Int, attempt: Int, in directory: String, workspace: String,
    masker: SecretMasker?
  ) {
    self.wanted = wanted
    self.directory = directory
    self.workspace = workspace
    self.run = run
    self.ordinal = ordinal
    self.attempt = attempt
    self.masker = masker
  }

  /// Interrupts a running copy, which throws `CancellationError`.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// The outcome.
  struct Kept: Sendable {
    var artifacts: [KeptArtifact] = []
    /// What was found but not kept, for people to read.
    var leftOut: [String] = []
    /// The files that were written to while they were copied.
    var changing: [String] = []
  }

  /// Copies everything, or leaves nothing behind.
  ///
  /// The files are counted and measured before the first one is copied, so that exceeding a limit costs neither time nor space.
  ///
  /// A former host, or an earlier attempt, may have been interrupted while copying; what it left belongs to no record, and is removed first. So
  /// nothing is duplicated, and an artifact is complete once its record is durable, which happens after the copy.
  ///
  /// - Throws: ``OperationFailure`` (`artifact-missing`, `artifact-invalid`, `artifact-limit`, `artifact-secret`), ``EngineError``, or `CancellationError`.
  func keep() throws -> Kept {
    let runs = try opened("\(workspace)/runs/\(run.text)") { () throws(SystemError) in
      try Folder(workspace).folder(["runs", run.text])
    }
    let prefix = KeptArtifact.prefix(ordinal: ordinal)
    for name in runs.names where name.hasPrefix(prefix) && name.hasSuffix(KeptArtifact.suffix) { runs.remove(name) }
    let folder = KeptArtifact.folderName(ordinal: ordinal, attempt: attempt)
    _ = try keep(in: nil, folder)
    do {
      return try keep(in: runs, folder)
    } catch {
      runs.remove(folder)
      throw error
    }
  }

  /// Copies everything into the directory of the run, or only counts and measures if `runs` is nil.
  private func keep(in runs: Folder?, _ folder: String) throws -> Kept {
    let source = try opened(directory) { () throws(SystemError) in try Folder(directory) }
    var state = Copy(kept: Kept())
    for wanted in wanted {
      let steps = ArtifactPath.steps(of: wanted.path)
      if let problem = ArtifactPath.problem(with: wanted.path) {
        throw failure("invalid", "the path of the artifact '\(wanted.name)' \(problem)")
      }
      state.begin(wanted.name)
      let name = "\(folder)/\(wanted.name)"
      let target = try runs.map { runs in
        try opened(name) { () throws(SystemError) in try runs.making([folder, wanted.name]) }
      }
      if wanted.isPattern {
        var entries = 0
        var matches: Set<String> = []
        try match(steps[...], in: source, [], &entries, &state) { matches.insert($0) }
        if matches.count > Self.mostMatches {
          throw failure(
            "limit",
            "the artifact '\(wanted.name)' has \(matches.count) files, but a pattern may match at most \(Self.mostMatches)"
          )
        }
        for path in matches.sorted() {
          guard let steps = KeptArtifact.steps(of: path), let last = steps.last else { continue }
          let folder = try opened(path) { () throws(SystemError) in try source.folder(steps.dropLast()) }
          let made = try target.map { target in
            try opened(path) { () throws(SystemError) in try target.making(steps.dropLast()) }
          }
          try copyFile(last, from: folder, to: made, path, &state)
          state.paths.append(path)
        }
      } else {
        let path = steps.joined(separator: "/")
        try copy(steps, from: source, to: target, path, wanted, &state)
        state.paths.append(path)
      }
      state.kept.artifacts.append(
        KeptArtifact(
          name: wanted.name, folder: "runs/\(run.text)/\(name)", paths: state.paths, isList: wanted.isPattern,
          files: state.files - state.filesBefore, size: state.bytes - state.bytesBefore))
    }
    return state.kept
  }

  /// What has been copied so far.
  private struct Copy {
    var kept: Kept
    var name = ""
    var paths: [String] = []
    var files = 0
    var bytes: Int64 = 0
    var filesBefore = 0
    var bytesBefore: Int64 = 0

    /// Notes that an entry is not kept, and why. An entry that has been deleted in the meantime is ignored, but a name that is not UTF-8 is reported,
    /// because it cannot be found under the name it was read as.
    mutating func leaveOut(_ path: String, _ entry: Folder.Entry?) {
      switch entry {
      case .link: kept.leftOut.append("'\(path)' is a symbolic link")
      case .special: kept.leftOut.append("'\(path)' is not a regular file")
      case .file, .folder: break
      case nil:
        if path.unicodeScalars.contains("\u{FFFD}") { kept.leftOut.append("the name of '\(path)' is not UTF-8") }
      }
    }

    mutating func begin(_ name: String) {
      self.name = name
      paths = []
      (filesBefore, bytesBefore) = (files, bytes)
    }
  }

  // MARK: Finding

  /// Calls `found` with the path of each regular file that a pattern matches. `**` matches any number of directories; hidden files match only
  /// patterns that begin with the dot, as in the shell.
  private func match(
    _ pattern: ArraySlice<String>, in folder: Folder, _ way: [String], _ entries: inout Int, _ state: inout Copy,
    _ found: (String) -> Void
  ) throws {
    guard let step = pattern.first else { return }
    try requireGoingOn()
    guard way.count < Self.deepest else {
      throw failure("limit", "the artifact '\(state.name)' is nested more than \(Self.deepest) directories deep")
    }
    let rest = pattern.dropFirst()
    if step == "**" {
      if !rest.isEmpty { try match(rest, in: folder, way, &entries, &state, found) }
      for name in try names(in: folder) where !name.hasPrefix(".") {
        try count(&entries, state)
        switch folder.entry(name) {
        case .folder:
          guard let inner = try subfolder(name, of: folder) else { continue }
          try match(pattern, in: inner, way + [name], &entries, &state, found)
        // At the end of a pattern, `**` matches everything below.
        case .file where rest.isEmpty: found((way + [name]).joined(separator: "/"))
        case let entry where rest.isEmpty: state.leaveOut((way + [name]).joined(separator: "/"), entry)
        default: continue
        }
      }
      return
    }
    for name in try names(in: folder) where fnmatch(step, name, FNM_PERIOD) == 0 {
      try count(&entries, state)
      let path = (way + [name]).joined(separator: "/")
      switch folder.entry(name) {
      case .file where rest.isEmpty: found(path)
      case .folder where !rest.isEmpty:
        guard let inner = try subfolder(name, of: folder) else { continue }
        try match(rest, in: inner, way + [name], &entries, &state, found)
      // A symbolic link to a directory is not followed, because it may lead anywhere.
      case let entry where rest.isEmpty || entry == .link: state.leaveOut(path, entry)
      default: continue
      }
    }
  }

  private func count(_ entries: inout Int, _ state: Copy) throws {
    entries += 1
    guard entries > Self.mostEntries else { return }
    throw failure("limit", "the artifact '\(state.name)' has more than \(Self.mostEntries) files to search")
  }

  // MARK: Copying

  /// Copies what one path refers to.
  private func copy(
    _ steps: [String], from source: Folder, to target: Folder?, _ path: String, _ wanted: Wanted, _ state: inout Copy
  ) throws {
    let what = "the artifact '\(wanted.name)': "
    var folder = source
    var made = target
    for (place, step) in steps.enumerated() {
      let shown = steps[...place].joined(separator: "/").escapedForMessage
      switch folder.entry(step) {
      case nil: throw failure("missing", "\(what)'\(shown)' does not exist in '\(directory.escapedForMessage)'")
      case .link:
        throw failure(
          "invalid", "\(what)'\(shown)' is a symbolic link; name the file it points to")
      case .special: throw failure("invalid", "\(what)'\(shown)' is neither a regular file nor a directory")
      case .file where place == steps.count - 1: try copyFile(step, from: folder, to: made, path, &state)
      case .file: throw failure("missing", "\(what)'\(shown)' is not a directory")
      case .folder:
        let next = folder
        folder = try opened(shown) { () throws(SystemError) in try next.folder(step) }
        made = try made.map { owner in
          try opened(shown) { () throws(SystemError) in try owner.making(step) }
        }
        if place == steps.count - 1 { try copyTree(folder, to: made, path, depth: 0, &state) }
      }
    }
  }

  private func copyTree(_ folder: Folder, to target: Folder?, _ path: String, depth: Int, _ state: inout Copy) throws {
    try requireGoingOn()
    guard depth < Self.deepest else {
      throw failure("limit", "the artifact '\(state.name)' is nested more than \(Self.deepest) directories deep")
    }
    for name in try names(in: folder).sorted() {
      let inner = "\(path)/\(name)"
      switch folder.entry(name) {
      case .file: try copyFile(name, from: folder, to: target, inner, &state)
      case .folder:
        let source = try opened(inner) { () throws(SystemError) in try folder.folder(name) }
        let made = try target.map { target in
          try opened(inner) { () throws(SystemError) in try target.making(name) }
        }
        try copyTree(source, to: made, inner, depth: depth + 1, &state)
      case let entry: state.leaveOut(inner, entry)
      }
    }
  }

  private func copyFile(
    _ name: String, from folder: Folder, to target: Folder?, _ path: String, _ state: inout Copy
  ) throws {
    let shown = path.escapedForMessage
    // Names are bytes; a name that is not UTF-8 was changed when it was read.
    if name.unicodeScalars.contains("\u{FFFD}") {
      throw failure("invalid", "the artifact '\(state.name)': the name of '\(shown)' is not UTF-8")
    }
    state.files += 1
    guard state.files <= Self.mostFiles else {
      throw failure(
        "limit", "the artifacts have more than \(Self.mostFiles) files; put them into an archive and keep that")
    }
    if let masker, masker.mask(path) != path { throw secret(state.name, "the name of a file") }
    guard let target else {
      if case .file(let size)? = folder.entry(name) { state.bytes += size }
      return try requireRoom(for: state.bytes)
    }
    var copied = try copyOnce(name, from: folder, to: target, path, state)
    if copied.hasChanged {
      // By now, the process that wrote the last of it is probably done.
      target.remove(name)
      copied = try copyOnce(name, from: folder, to: target, path, state)
    }
    if copied.hasChanged { state.kept.changing.append(path) }
    state.bytes += copied.size
  }

  private func copyOnce(
    _ name: String, from folder: Folder, to target: Folder, _ path: String, _ state: Copy
  ) throws -> (size: Int64, hasChanged: Bool) {
    var scanner = masker?.scanner()
    var (read, shown256) = (SHA256(), SHA256())
    let copied: (size: Int64, hasChanged: Bool)
    do {
      var size = state.bytes
      copied = try folder.copy(name, to: target, as: name) { piece in
        try requireGoingOn()
        size += Int64(piece.count)
        // It may have grown since it was measured.
        try requireRoom(for: size)
        guard let masked = scanner?.mask(piece) else { return }
        read.update(data: piece)
        shown256.update(data: masked)
      }
    } catch let error as SystemError {
      throw EngineError.file("\(directory)/\(path)", error.number)
    }
    guard let rest = scanner?.finish() else { return copied }
    shown256.update(data: rest)
    if read.finalize() != shown256.finalize() { throw secret(state.name, "'\(path.escapedForMessage)'") }
    return copied
  }

  private func requireRoom(for bytes: Int64) throws {
    guard bytes > Self.mostBytes else { return }
    throw failure(
      "limit",
      "the artifacts are larger than \(SizeNotation.format(Self.mostBytes)); store them elsewhere and pass on their location"
    )
  }

  // MARK: Failing

  private func requireGoingOn() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }

  private func failure(_ kind: String, _ message: String) -> OperationFailure {
    OperationFailure(code: "artifact-\(kind)", message: message)
  }

  private func secret(_ name: String, _ place: String) -> OperationFailure {
    failure("secret", "the artifact '\(name)' contains a secret (\(place)), and kept files are not masked")
  }

  /// Returns a directory that a pattern may lead to, or nil if it cannot be opened, unless a descriptor or memory is lacking.
  private func subfolder(_ name: String, of folder: Folder) throws(EngineError) -> Folder? {
    do throws(SystemError) {
      return try folder.folder(name)
    } catch {
      guard LookFailures.isShortage(error.number) else { return nil }
      throw .file(directory, error.number)
    }
  }

  private func names(in folder: Folder) throws(EngineError) -> [String] {
    let failures = LookFailures.count
    let names = folder.names
    guard LookFailures.count == failures || !names.isEmpty else { throw .file(directory, EMFILE) }
    return names
  }

  private func opened(_ path: String, _ open: () throws(SystemError) -> Folder) throws(EngineError) -> Folder {
    do throws(SystemError) {
      return try open()
    } catch {
      throw .file(path, error.number)
    }
  }
}
