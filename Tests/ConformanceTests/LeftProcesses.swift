import Foundation

/// The processes that a case has left behind: those whose working directory is within the case's directory.
///
/// They would keep running during all later tests, and many of them poll for a file that was deleted with the directory.
struct LeftProcesses {
  private let root: String

  /// How long processes that were told to end may take, on a busy computer.
  private static let patience = Duration.seconds(10)

  init(below root: URL) { self.root = root.path + "/" }

  /// Terminates them.
  ///
  /// - Parameter waits: Whether they have time to end by themselves.
  /// - Returns: A line for each that existed.
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
      // The link of a deleted directory ends with ' (deleted)'. A process that has ended has no link.
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
