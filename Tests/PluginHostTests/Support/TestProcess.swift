import CProcess
import Glibc

/// A process that a test starts; it is killed with this object, or before.
///
/// Not Foundation's `Process`, which learns of an end by a descriptor that processes started at the same time inherit: one that lives on hides the
/// end of the other.
final class TestProcess {
  let pid: pid_t
  private let output: Int32
  private var status: Int32?

  /// Creates a process that does nothing.
  convenience init() throws { try self.init(["/bin/sleep", "100000"]) }

  /// Starts the program at a path with arguments.
  init(_ arguments: [String]) throws {
    var pipe: [Int32] = [-1, -1]
    guard penstock_pipe(&pipe) == 0 else { throw TestPluginError(message: "no pipe") }
    defer { close(pipe[1]) }
    output = pipe[0]
    let pointers = arguments.map { (text: String) in strdup(text) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var (pid, descriptor): (pid_t, Int32) = (0, -1)
    let error = "/dev/null".withCString { null in
      pointers.withUnsafeBufferPointer { pointers in
        var request = penstock_spawn_request(
          path: pointers[0], arguments: pointers.baseAddress, environment: environ, directory: nil,
          input: penstock_stream(descriptor: -1, path: null), output: penstock_stream(descriptor: pipe[1], path: nil),
          error: penstock_stream(descriptor: -1, path: null), inherited: nil, inherited_count: 0)
        return penstock_spawn(&request, &pid, &descriptor)
      }
    }
    close(descriptor)
    self.pid = pid
    guard error == 0 else {
      status = 0
      close(output)
      throw TestPluginError(message: "cannot start \(arguments[0]): \(String(cString: strerror(error)))")
    }
  }

  deinit {
    end()
    close(output)
  }

  /// Returns the next line that it prints; blocks until there is one.
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Kills it without waiting for it.
  ///
  /// Uses SIGKILL, which cannot be blocked: a process inherits the signals that the starting thread blocks.
  func kill() {
    if status == nil { Glibc.kill(pid, SIGKILL) }
  }

  /// Waits until it has ended; returns its status as of `waitpid`.
  @discardableResult
  func wait() -> Int32 {
    if let status { return status }
    var ended: Int32 = 0
    while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
    status = ended
    return ended
  }

  /// Kills it and waits for it, so that nothing is left.
  func end() {
    kill()
    wait()
  }
}
