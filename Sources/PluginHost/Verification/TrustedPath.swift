import Glibc
import OperatingSystem

/// Opens a file that only root and the user can change or replace.
///
/// The path is walked from the root, and each component is opened relative to the directory before it, so that what is checked is what is used,
/// whatever is renamed meanwhile. Symbolic links are followed one by one, and every directory on a link's way is checked: anyone who can write to
/// it can redirect the link.
///
/// A directory is trusted if it belongs to root or the user and only its owner can write to it. A directory that others can write to is acceptable,
/// if it has the sticky bit as `/tmp` does, for an entry that belongs to root or the user: others can add entries there, but can neither rename nor
/// remove entries that are not theirs (see unlink(2), EPERM). Owners matter as much as permissions, because the owner of a file or directory can
/// always change its permissions. An access control list that lets others write shows up in the group permissions, and is refused along with them.
struct TrustedPath {
  /// The user whose files are trusted, besides root.
  let user: uid_t

  /// The limit of symbolic links, which is the kernel's.
  private static let mostLinks = 40

  /// A file that was opened.
  struct Opened: ~Copyable, Sendable {
    let descriptor: Descriptor
    let identity: PluginFile.Identity
    /// An absolute path without symbolic links.
    let path: String
  }

  /// Opens the regular file at `path` for reading.
  ///
  /// - Parameter path: Absolute, or relative to the current directory.
  /// - Returns: The open file, with the close-on-exec flag.
  /// - Throws: The reason why it is not trusted, or cannot be opened.
  func open(_ path: String) throws(Refusal) -> Opened {
    var walk = try Walk(path)
    var links = 0
    while let name = walk.next() {
      if name == ".." {
        try walk.ascend()
        continue
      }
      guard
        let entry = Descriptor(
          openat(walk.directory.descriptor.number, name, Directory.asPath | O_NOFOLLOW | O_CLOEXEC)),
        let status = entry.status()
      else { throw Self.unreadable(walk.path(of: name), errno) }
      if let problem = problem(inDirectory: walk.directory.status, at: walk.path, entry: status, named: name) {
        throw problem
      }
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        links += 1
        guard links <= Self.mostLinks else {
          throw Refusal(
            .unreadable, "more than \(Self.mostLinks) symbolic links lead to it", fix: "name the file without the links"
          )
        }
        try walk.follow(entry, named: name)
      case S_IFDIR: walk.descend(entry, status, named: name)
      default:
        guard walk.isAtEnd else { throw Self.unreadable(walk.path(of: name), ENOTDIR) }
        return try openFile(walk, name, status)
      }
    }
    throw Refusal(.notASharedObject, "it is a directory", fix: "name the shared object in it")
  }

  private func openFile(_ walk: borrowing Walk, _ name: String, _ status: stat) throws(Refusal) -> Opened {
    let path = walk.path(of: name)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(
        .notASharedObject, "it is not a regular file, but \(Self.kind(status.st_mode))", fix: "name a shared object")
    }
    if let problem = problem(with: status, at: path) { throw problem }
    // O_NONBLOCK and O_NOCTTY, as the file may have been replaced by a FIFO or a terminal by now.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    guard let file = Descriptor(openat(walk.directory.descriptor.number, name, flags)) else {
      throw Self.unreadable(path, errno)
    }
    guard let opened = file.status(), opened.st_mode & S_IFMT == S_IFREG,
      PluginFile.Identity(opened).isSameFile(as: PluginFile.Identity(status))
    else { throw Refusal(.unreadable, "it was replaced while it was opened", fix: "retry") }
    if let problem = problem(with: opened, at: path) { throw problem }
    return Opened(descriptor: file, identity: PluginFile.Identity(opened), path: path)
  }

  // MARK: The rules

  /// Returns the reason why an entry of `directory` cannot be trusted, or nil if it can.
  func problem(inDirectory directory: stat, at path: String, entry: stat, named name: String) -> Refusal? {
    if !isTrusted(directory.st_uid) { return foreign(directory, at: path, "the directory") }
    guard let writers = Self.writers(directory.st_mode) else { return nil }
    let isSticky = directory.st_mode & S_ISVTX != 0
    if isSticky, isTrusted(entry.st_uid) { return nil }
    let word = path.quotedForShell
    guard isSticky else {
      return Refusal(
        .writableByOthers,
        "the directory \(path.quotedForMessage) can be written by \(writers), who could put another file there",
        fix: "run 'chmod go-w \(word)', or put the plugin elsewhere")
    }
    let entryPath = path == "/" ? "/\(name)" : "\(path)/\(name)"
    return foreign(
      entry, at: entryPath, "in the directory \(path.quotedForMessage), which can be written by \(writers),")
  }

  /// Returns the reason why a file cannot be trusted, or nil if it can.
  func problem(with file: stat, at path: String) -> Refusal? {
    if !isTrusted(file.st_uid) { return foreign(file, at: path, "the file") }
    return Self.writers(file.st_mode).map {
      Refusal(
        .writableByOthers, "the file can be written by \($0) (mode \(Self.octal(file.st_mode)))",
        fix: "run 'chmod go-w \(path.quotedForShell)'")
    }
  }

  private func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == user }

  private func foreign(_ status: stat, at path: String, _ what: String) -> Refusal {
    Refusal(
      .writableByOthers, "\(what) \(path.quotedForMessage) belongs to the user \(status.st_uid), who could change it",
      fix: user == 0
        ? "run 'chown root \(path.quotedForShell)' if you trust it, or put the plugin elsewhere"
        : "copy the plugin into a directory of your own if you trust it")
  }

  /// Returns who else may write, for a message; nil if nobody else may.
  private static func writers(_ mode: mode_t) -> String? {
    switch (mode & S_IWGRP != 0, mode & S_IWOTH != 0) {
    case (false, false): nil
    case (true, false): "its group"
    case (_, true): "everyone"
    }
  }

  private static func octal(_ mode: mode_t) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  // MARK: Messages

  private static func kind(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "something else"
    }
  }

  static func unreadable(_ path: String, _ number: Int32) -> Refusal {
    LookFailures.note(number)
    let text = SystemError.text(of: number)
    return switch number {
    case ENOENT, ENOTDIR:
      Refusal(
        .notFound, "\(path.quotedForMessage) does not exist", fix: "check the path, and the links that lead to it")
    case EACCES, EPERM:
      Refusal(
        .unreadable, "\(path.quotedForMessage) cannot be read: \(text)", fix: "run 'chmod u+rX \(path.quotedForShell)'")
    default:
      Refusal(
        .unreadable, "\(path.quotedForMessage) cannot be read: \(text)", fix: "check the file and its file system")
    }
  }
}

/// A directory on the path, and the rest of the path.
private struct Walk: ~Copyable {
  private(set) var directory: Directory
  /// The components of the directory's path, without links.
  private var names: [String] = []
  /// The remaining components, the next one last.
  private var rest: [String]

  init(_ path: String) throws(Refusal) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Refusal(.notFound, "that is not a path", fix: "name a shared object")
    }
    var whole = path
    if !path.hasPrefix("/") {
      guard let current = getcwd(nil, 0) else { throw TrustedPath.unreadable(".", errno) }
      defer { free(current) }
      whole = "\(String(cString: current))/\(path)"
    }
    directory = try Directory(AT_FDCWD, "/", at: "/")
    rest = Self.components(whole)
  }

  var path: String { "/" + names.joined(separator: "/") }
  var isAtEnd: Bool { rest.isEmpty }

  func path(of name: String) -> String { "/" + (names + [name]).joined(separator: "/") }

  mutating func next() -> String? { rest.popLast() }

  mutating func descend(_ entry: consuming Descriptor, _ status: stat, named name: String) {
    directory = Directory(entry, status)
    names.append(name)
  }

  mutating func ascend() throws(Refusal) {
    directory = try Directory(directory.descriptor.number, "..", at: path + "/..")
    _ = names.popLast()
  }

  mutating func follow(_ link: borrowing Descriptor, named name: String) throws(Refusal) {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(link.number, "", &buffer, buffer.count)
    guard count > 0, count < buffer.count else {
      throw TrustedPath.unreadable(path(of: name), count < 0 ? errno : ENOENT)
    }
    let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if target.hasPrefix("/") {
      directory = try Directory(AT_FDCWD, "/", at: "/")
      names = []
    }
    rest += Self.components(target)
  }

  private static func components(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
  }
}

/// An open directory, which is used only to open what is below it.
private struct Directory: ~Copyable {
  let descriptor: Descriptor
  let status: stat

  /// `O_PATH`, which the C library's module does not expose: opens a file for neither reading nor writing, but for `fstat` and `openat`.
  static let asPath: Int32 = 0o10_000_000

  init(_ descriptor: consuming Descriptor, _ status: stat) {
    self.descriptor = descriptor
    self.status = status
  }

  init(_ base: Int32, _ name: String, at path: String) throws(Refusal) {
    guard let descriptor = Descriptor(openat(base, name, Self.asPath | O_DIRECTORY | O_CLOEXEC)),
      let status = descriptor.status()
    else { throw TrustedPath.unreadable(path, errno) }
    self.init(descriptor, status)
  }
}
