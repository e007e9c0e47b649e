import CProcess
import Glibc

/// A system program that serves the tests on loopback. It ends with this process, however that ends: it is the child of a shell that waits for the end of
/// its standard input, whose other end is held here.
final class ServerProcess: Sendable {
  private let input: Int32

  init(_ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard penstock_pipe(&ends) == 0 else { throw ServerFailure("no pipe for a server") }
    let script = #""$@" & child=$!; cat > /dev/null; kill -9 $child 2> /dev/null; wait"#
    defer { close(ends[0]) }
    do {
      let shell = try TestProcess.start(["/bin/sh", "-c", script, "sh"] + arguments, input: ends[0])
      // A child that is not waited for would prevent the test library from being notified of its own children.
      TestProcess.whenEnded(shell) { _ in }
    } catch {
      close(ends[1])
      throw error
    }
    input = ends[1]
  }

  deinit { close(input) }

  /// Runs a command to completion.
  static func run(_ command: String) throws {
    guard system("( \(command) ) > /dev/null 2>&1 < /dev/null") == 0 else {
      throw ServerFailure("this failed: \(command)")
    }
  }

  /// Returns the path of a program, unpacked into the build folder by `make test`, or installed.
  static func find(_ name: String) -> String? {
    let folders = [
      ".build/test-servers/usr/sbin", ".build/test-servers/usr/bin", "/usr/sbin", "/usr/bin", "/usr/local/bin",
    ]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Returns whether tests that need the program run: they are skipped if it is missing, but never in CI.
  static func isExpected(_ name: String) -> Bool {
    find(name) != nil || getenv("CI") != nil
  }
}

/// Why a server could not be started.
struct ServerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Ports and connections on loopback.
enum Loopback {
  /// Returns a port that is not listened on.
  static func freePort() throws -> UInt16 {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }

  /// Returns a socket that listens on a port chosen by the kernel.
  static func listen() throws -> (descriptor: Int32, port: UInt16) {
    let (descriptor, port) = try bind()
    guard Glibc.listen(descriptor, 512) == 0 else { throw ServerFailure("nothing can listen on loopback: \(errno)") }
    return (descriptor, port)
  }

  /// Returns a socket with a port chosen by the kernel, on which it does not listen yet.
  static func bind() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        Glibc.bind(descriptor, raw, length) == 0 && getsockname(descriptor, raw, &length) == 0
      }
    }
    guard result else { throw ServerFailure("there is no port on loopback: \(errno)") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Waits until a server accepts connections.
  static func wait(for port: UInt16) throws {
    for _ in 0..<4000 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      var address = address(port: port)
      let accepted = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if accepted { return }
      usleep(5000)
    }
    throw ServerFailure("nothing listens at port \(port)")
  }

  /// Starts connecting.
  static func connectSoon(_ descriptor: Int32, to port: UInt16) {
    var address = address(port: port)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// A folder that is deleted when its last reference is released.
final class TestFolder: Sendable {
  let path: String

  /// Creates a folder, by default in the directory for temporary files.
  init(in place: String? = nil) throws {
    let parent = place ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/penstock-http-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ServerFailure("no folder for the test: \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { _ = system("rm -rf '\(path)'") }

  func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw ServerFailure("'\(name)' cannot be written") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw ServerFailure("'\(name)' cannot be written") }
  }

  func read(_ name: String) throws -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { throw ServerFailure("'\(name)' cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes.append(contentsOf: buffer[..<count])
    }
    return bytes
  }
}

/// A port on which no connection is ever established: its backlog of unaccepted connections is full.
final class FullBacklog: Sendable {
  private let listener: Int32
  private let waiting: [Int32]
  let url: String

  init() throws {
    let (listener, port) = try Loopback.listen()
    Glibc.listen(listener, 0)
    self.listener = listener
    url = "http://127.0.0.1:\(port)/"
    waiting = (0..<4).map { _ in
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      Loopback.connectSoon(descriptor, to: port)
      return descriptor
    }
  }

  deinit {
    for descriptor in waiting + [listener] { close(descriptor) }
  }
}
