import Foundation

/// A directory that belongs to a test, writable only by its owner, removed with this object.
final class Scratch: Sendable {
  /// The path, without symbolic links.
  let path: String

  init() throws {
    let path = NSTemporaryDirectory() + "penstock-plugin-host-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    self.path =
      realpath(path, nil).map { pointer in
        defer { free(pointer) }
        return String(cString: pointer)
      } ?? path
  }

  deinit {
    chmod(path, 0o700)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of an entry.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file, creating its directories; returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws -> String {
    let path = self(name)
    try directory(String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]))
    guard FileManager.default.createFile(atPath: path, contents: Data(bytes)), chmod(path, mode) == 0 else {
      throw TestPluginError(message: "cannot write \(path)")
    }
    return path
  }

  /// Writes a text file; returns its path.
  @discardableResult
  func write(_ text: String, to name: String, mode: mode_t = 0o644) throws -> String {
    try write(Array(text.utf8), to: name, mode: mode)
  }

  /// Creates a directory and its parents; returns its path.
  @discardableResult
  func directory(_ name: String, mode: mode_t = 0o755) throws -> String {
    let path = name.isEmpty ? self.path : self(name)
    guard !name.isEmpty else { return path }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard chmod(path, mode) == 0 else { throw TestPluginError(message: "cannot chmod \(path)") }
    return path
  }

  /// Creates a symbolic link; returns its path.
  @discardableResult
  func link(_ name: String, to target: String) throws -> String {
    try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    return self(name)
  }
}
