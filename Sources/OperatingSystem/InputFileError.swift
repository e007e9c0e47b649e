import Glibc

/// The reason that an external file cannot be read.
package enum InputFileError: Error, Sendable, Hashable {
  /// The kind of a file.
  package enum Kind: Sendable, Hashable {
    case regular, pipe, terminal, device, directory, socket, link

    /// The kind as a noun phrase for messages.
    package var name: String {
      switch self {
      case .regular: "a regular file"
      case .pipe: "a FIFO or pipe"
      case .terminal: "a terminal"
      case .device: "a device"
      case .directory: "a directory"
      case .socket: "a socket"
      case .link: "a symbolic link"
      }
    }
  }

  /// A system call failed with this error number.
  case system(path: String, number: Int32)
  /// The file is of a kind that the caller does not accept.
  case unsuitable(path: String, Kind)
  /// The file exceeds the caller's limit.
  case tooLong(path: String, limit: Int)
  /// A pipe was closed before anything was written to it.
  case empty(path: String)
  /// A kernel file delivers events as they occur, without end.
  case endless(path: String)
  /// A pipe did not end in time.
  case unfinished(path: String, Duration)

  /// Whether there is no file of this name.
  package var isMissing: Bool {
    if case .system(_, let number) = self { number == ENOENT || number == ENOTDIR } else { false }
  }

  /// Whether the process or the system lacks resources for another open file. The file itself may be fine.
  package var isLackOfResources: Bool {
    if case .system(_, let number) = self { [EMFILE, ENFILE, ENOMEM].contains(number) } else { false }
  }

  /// The cause without the path, with advice if the fix is not obvious.
  package var reason: String {
    switch self {
    case .system(_, let number): SystemError.textWithAdvice(of: number)
    case .unsuitable(_, .directory): "it is a directory"
    case .unsuitable(_, let kind): "it is \(kind.name), not a regular file"
    case .tooLong(_, let limit): "it is larger than \(Self.size(limit))"
    case .endless: "it is a file of the kernel that has no end"
    case .empty: "it is a pipe that its writer closed without writing anything"
    case .unfinished(_, let time): "it is a pipe that its writer did not close within \(time.components.seconds) s"
    }
  }

  private static func size(_ limit: Int) -> String {
    if limit.isMultiple(of: 1 << 20) { return "\(limit >> 20) MiB" }
    return limit.isMultiple(of: 1 << 10) ? "\(limit >> 10) KiB" : "\(limit) bytes"
  }
}

extension InputFileError: CustomStringConvertible {
  /// What happened, with the path.
  package var description: String {
    switch self {
    case .system(let path, _): "'\(path)' cannot be read: \(reason)"
    case .unsuitable(let path, _), .tooLong(let path, _), .endless(let path), .empty(let path),
      .unfinished(let path, _):
      // Turns "it is …" into "'path' is …".
      "'\(path)'\(reason.dropFirst(2))"
    }
  }
}
