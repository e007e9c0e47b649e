import Foundation

/// The program `WorkspaceChild`, or another one of the tests, running.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []
  private var isInputOpen = true

  init(_ arguments: [String], program: String = "WorkspaceChild") throws {
    process.executableURL = URL(fileURLWithPath: "\(Self.products)/\(program)")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
  }

  deinit {
    kill()
    try? output.fileHandleForReading.close()
  }

  var pid: Int32 { process.processIdentifier }

  /// The next line that it prints; nil at the end.
  func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(output.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
      if count <= 0 { return nil }
      buffer += bytes[..<count]
    }
  }

  func endInput() {
    if isInputOpen { try? input.fileHandleForWriting.close() }
    isInputOpen = false
  }

  /// Ends it with SIGKILL, and waits for that.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    endInput()
    process.waitUntilExit()
  }

  /// Waits for its end; returns the status.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Where the programs are: beside the test bundle, all being products of one build.
  private static let products: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent
  }()
}
