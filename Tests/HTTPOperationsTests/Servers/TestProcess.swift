import CProcess
import Glibc

/// Starts and waits for other programs.
enum TestProcess {
  /// Starts a program that inherits only its input: another test's connection would otherwise stay open in it.
  ///
  /// - Parameters:
  ///   - words: The path of the program, and its arguments.
  ///   - input: Its standard input; -1 for none.
  /// - Returns: Its process ID. It must be waited for, or remains a zombie until this process ends.
  /// - Throws: An error if it cannot be started.
  static func start(_ words: [String], input: Int32 = -1) throws -> pid_t {
    var list = words.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { list.forEach { free($0) } }
    var child = pid_t()
    var watch: Int32 = -1
    let error = list.withUnsafeMutableBufferPointer { list in
      "/dev/null".withCString { null in
        words[0].withCString { path in
          var request = penstock_spawn_request()
          request.path = path
          request.arguments = UnsafePointer(list.baseAddress)
          request.environment = UnsafePointer(environ)
          request.input = penstock_stream(descriptor: input, path: input < 0 ? null : nil)
          request.output = penstock_stream(descriptor: -1, path: null)
          request.error = penstock_stream(descriptor: -1, path: null)
          return penstock_spawn(&request, &child, &watch)
        }
      }
    }
    if watch >= 0 { close(watch) }
    guard error == 0 else { throw ServerFailure("\(words[0]) cannot be started: \(error)") }
    return child
  }

  /// Waits on a separate thread until a process has ended, and passes its status to `body`.
  static func whenEnded(_ process: pid_t, _ body: @escaping @Sendable (_ status: Int32) -> Void) {
    TestThread.run {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      body(status)
    }
  }

  /// Returns the path of a program beside the test bundle, since both are products of one build.
  static func sibling(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bundle = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (bundle.lastIndex(of: "/").map { String(bundle[...$0]) } ?? "") + name
  }
}
