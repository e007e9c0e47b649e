import Foundation

/// The processes that a case has left behind: those whose working directory is one of the case's own.
///
/// They would go on beside all later tests, and many of them look for a file that is gone with the directory.
struct LeftProcesses {
  private let root: String

  /// How long those that were told to end may take for it, on a busy machine.
  private static let patience = Duration.seconds(10)

  init(below root: URL) { self.root = root.path + "/" }

  /// Ends them.
  ///
  /// - Parameter waits: Whether they have time to end by themselves.
  /// - Returns: A line for each that was there.
  func end(waits: Bool) async -> [String] {
    let deadline = ContinuousClock.now + Self.patience
    var left = found()
    while waits, !left.isEmpty, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(10))
      left = found()
    }
    return left.map { process in
      let command = Self.text(of: "/proc/\(process)/cmdline")?.replacing("\0", with: " ") ?? ""
      kill(process, SIGKILL)
      return "process \(process) is still there: \(command.prefix(200))"
    }
  }

  private func found() -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      // A directory that is gone has ' (deleted)' behind its name. One that has ended has none.
      guard let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd") else {
        return false
      }
      return place.hasPrefix(root)
    }
  }

  private static func text(of path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
