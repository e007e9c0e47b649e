import Foundation

/// A running `WorkspaceChild`, or another test program.
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

  /// Returns the next line of its output; nil at the end.
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

  /// Kills it with SIGKILL, and waits for its end.
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

  /// The directory of the programs: beside the test bundle, since all are products of one build.
  private static let products: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent
  }()
}
