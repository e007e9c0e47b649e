import Glibc

/// The logins of a netrc file: `machine HOST login USER password PASSWORD`, and `default` for all other hosts.
///
/// Words are separated by white space. A word in double quotes may contain spaces, `\"`, `\\`, `\n`, `\r` and `\t`. A `#` in place of a keyword begins a
/// comment. `account` is skipped, and so are macros (`macdef`), up to the empty line that ends them.
public struct NetrcFile: Sendable, Hashable {
  /// A login for one host.
  public struct Login: Sendable, Hashable {
    /// The user.
    public var user: String
    /// The password.
    public var password: String

    /// Creates a login.
    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  private var machines: [(host: String, login: Login)] = []
  private var fallback: Login?

  /// Parses the content of a file.
  ///
  /// - Parameters:
  ///   - text: The content.
  ///   - name: The name of the file in messages.
  /// - Throws: ``HTTPEncodingError`` of code `invalid-credentials`, with the line number.
  public init(_ text: String, name: String = "the netrc file") throws(HTTPEncodingError) {
    var words = NetrcWords(text)
    var host: String??
    var (user, password) = ("", "")
    func fail(_ problem: String) -> HTTPEncodingError {
      HTTPEncodingError(.invalidCredentials, "\(name), line \(words.line): \(problem)")
    }
    func value(_ keyword: String) throws(HTTPEncodingError) -> String {
      guard let value = words.next() else { throw fail("'\(keyword)' has no value") }
      return value
    }
    func flush() {
      let login = Login(user: user, password: password)
      switch host {
      case .some(.some(let host)): machines.append((host.lowercased(), login))
      case .some(.none): fallback = fallback ?? login
      case .none: break
      }
      (user, password) = ("", "")
    }
    while let keyword = words.nextKeyword() {
      switch keyword {
      case "machine":
        flush()
        host = .some(try value(keyword))
      case "default":
        flush()
        host = .some(nil)
      case "login": user = try value(keyword)
      case "password": password = try value(keyword)
      case "account": _ = try value(keyword)
      case "macdef": words.skipMacro()
      default: throw fail("expected machine, default, login, password, account or macdef")
      }
    }
    flush()
  }

  /// Reads a file, which must not be accessible to anyone but its owner.
  ///
  /// - Throws: ``HTTPEncodingError`` of code `unreadable-file` or `invalid-credentials`.
  public init(path: String) throws(HTTPEncodingError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
      throw HTTPEncodingError(
        .unreadableFile, "\(path) is readable by others: protect its passwords with 'chmod 600'")
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileContent.read(path, limit: 1024 * 1024)
    } catch {
      var failure = HTTPEncodingError(.unreadableFile, "the netrc file cannot be read: \(error)")
      failure.shortage = error.shortage
      throw failure
    }
    try self.init(String(decoding: bytes, as: UTF8.self), name: path)
  }

  /// Returns the login for `host`, or nil if there is none. The first entry of a host is used.
  public func login(for host: String) -> Login? {
    machines.first { $0.host == host.lowercased() }?.login ?? fallback
  }

  /// Returns whether both have the same logins in the same order.
  public static func == (left: NetrcFile, right: NetrcFile) -> Bool {
    left.fallback == right.fallback
      && left.machines.elementsEqual(right.machines) { $0.host == $1.host && $0.login == $1.login }
  }

  /// Hashes the hosts and their logins.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fallback)
    for machine in machines {
      hasher.combine(machine.host)
      hasher.combine(machine.login)
    }
  }
}

/// The words of a netrc file.
private struct NetrcWords {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func nextKeyword() -> String? {
    while true {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "#") else { return next() }
      while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    }
  }

  mutating func next() -> String? {
    skipSpace()
    guard position < bytes.count else { return nil }
    var word: [UInt8] = []
    guard bytes[position] == UInt8(ascii: "\"") else {
      while position < bytes.count, !Self.isSpace(bytes[position]) {
        word.append(bytes[position])
        position += 1
      }
      return String(decoding: word, as: UTF8.self)
    }
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      var byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\\"), position < bytes.count {
        byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        default: break
        }
      }
      word.append(byte)
    }
    position = min(position + 1, bytes.count)
    return String(decoding: word, as: UTF8.self)
  }

  /// Skips past the next empty line.
  mutating func skipMacro() {
    while position < bytes.count {
      if bytes[position] == 0x0A {
        line += 1
        if position + 1 < bytes.count, bytes[position + 1] == 0x0A {
          position += 1
          return
        }
      }
      position += 1
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
