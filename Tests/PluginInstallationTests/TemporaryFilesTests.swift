import Foundation
import Testing

@testable import PluginInstallation

@Suite("Temporary files of an installation")
struct TemporaryFilesTests {
  private let directory: String

  init() throws {
    directory = NSTemporaryDirectory() + "penstock-installation-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted() }

  private func remove() { try? FileManager.default.removeItem(atPath: directory) }

  @Test("a file is hidden and its owner's, and is deleted with its last reference")
  func lifetime() throws {
    defer { remove() }
    let files = TemporaryFiles()
    do {
      let file = try TemporaryFile(in: directory, files)
      #expect(names == [file.name] && file.name.hasPrefix("."))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(names == [])
  }

  @Test("a published file stays, in place of the former one")
  func published() throws {
    defer { remove() }
    let files = TemporaryFiles()
    for text in ["one", "two"] {
      let file = try TemporaryFile(in: directory, files)
      #expect(write(file.descriptor, text, 3) == 3)
      try file.complete()
      try file.publish(as: "\(directory)/a.so") { () throws(InstallationError) in }
    }
    files.deleteAll()
    #expect(names == ["a.so"])
    #expect(try String(contentsOfFile: "\(directory)/a.so", encoding: .utf8) == "two")
  }

  @Test("after a signal, files are gone, and none is created or published")
  func closed() throws {
    defer { remove() }
    let files = TemporaryFiles()
    let file = try TemporaryFile(in: directory, files)
    files.deleteAll()
    #expect(names == [])
    #expect(throws: InstallationError.self) {
      try file.publish(as: "\(directory)/a.so") { () throws(InstallationError) in }
    }
    #expect(throws: InstallationError.self) { try TemporaryFile(in: directory, files) }
    #expect(names == [])
  }

  @Test("what killed processes left is deleted when the folder is prepared, and what others use is not")
  func sweep() throws {
    defer { remove() }
    let files = TemporaryFiles()
    let used = try TemporaryFile(in: directory, files)
    let left = "\(directory)/\(TemporaryFile.prefix)1-a"
    let fresh = "\(directory)/\(TemporaryFile.prefix)1-b"
    for path in [left, fresh] { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    for path in [left, used.path] {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }
    try PluginFolder(path: directory).prepare()
    #expect(names == [used.name, ".penstock-adding-1-b"].sorted())
  }
}
