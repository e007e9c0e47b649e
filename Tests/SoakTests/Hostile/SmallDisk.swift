import Foundation
import Subprocess

/// A separate file system of a given size, if this process may mount one.
final class SmallDisk: Sendable {
  let path: String

  /// Whether one can be mounted here.
  static var isPossible: Bool {
    get async throws {
      let scratch = try Scratch()
      guard let disk = try await SmallDisk(scratch("disk"), size: "64k") else { return false }
      try await disk.unmount()
      return true
    }
  }

  /// Nil if mounting is not permitted.
  init?(_ path: String, size: String) async throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard geteuid() == 0, try await Self.command("mount", "-t", "tmpfs", "-o", "size=\(size),mode=0700", "tmpfs", path)
    else {
      return nil
    }
  }

  /// Makes it read-only, which is possible only while no process writes to it.
  func becomeReadOnly() async throws -> Bool { try await Self.command("mount", "-o", "remount,ro", path) }

  /// Fills it with one file, and returns a closure that deletes the file.
  func fill() throws -> @Sendable () throws -> Void {
    let filler = path + "/filler"
    guard FileManager.default.createFile(atPath: filler, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: filler))
    for size in [1 << 20, 1 << 12] {
      let block = Data(count: size)
      while (try? file.write(contentsOf: block)) != nil {}
    }
    try file.close()
    return { try FileManager.default.removeItem(atPath: filler) }
  }

  /// Detaches it, so that it can no longer be found; processes that have files of it open keep them.
  func detach() async throws { _ = try await Self.command("umount", "--lazy", path) }

  func unmount() async throws { _ = try await Self.command("umount", path) }

  private static func command(_ name: String, _ arguments: String...) async throws -> Bool {
    try await Subprocess.run(.name(name), arguments: Arguments(arguments), output: .discarded).terminationStatus
      .isSuccess
  }
}
