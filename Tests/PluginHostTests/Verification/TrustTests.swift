import Foundation
import Testing

@testable import PluginHost

@Suite("Plugins that others can change are refused")
struct TrustTests {
  private let scratch: Scratch
  /// A sound plugin in `top/plugins`.
  private let plugin: String

  init() throws {
    scratch = try Scratch()
    try scratch.directory("top/plugins")
    plugin = try scratch.write(bytes(of: TestPlugin.compile(TestPlugin.Source())), to: "top/plugins/echo.so")
  }

  private func mode(_ name: String, _ mode: mode_t) { #expect(chmod(scratch(name), mode) == 0) }

  @Test("a plugin that only its owner can write is accepted, under every path to it")
  func accepted() throws {
    try scratch.link("top/link.so", to: "plugins/echo.so")
    try scratch.link("absolute.so", to: plugin)
    try scratch.link("folder", to: "./top/../top/plugins/")
    for path in [
      "top/plugins/echo.so", "top/link.so", "absolute.so", "folder/echo.so", "folder/../plugins//./echo.so",
    ] {
      let file = try PluginFile(at: scratch(path), origin: .commandLine)
      #expect(try PluginVerifier().verify(file).path == plugin)
    }
  }

  @Test(
    "a file that others can write is refused",
    arguments: [(0o664, "its group"), (0o646, "everyone"), (0o666, "everyone")])
  func file(mode: mode_t, who: String) {
    self.mode("top/plugins/echo.so", mode)
    let (code, message) = verification(of: plugin)
    #expect(code == .writableByOthers)
    #expect(
      message
        == "the plugin '\(plugin)' is refused: the file can be written by \(who) (mode 0\(String(mode, radix: 8))); "
        + "run 'chmod go-w \(plugin)'")
  }

  @Test("a directory above it that others can write is refused, however far up", arguments: ["top/plugins", "top", ""])
  func directory(name: String) {
    for (mode, who) in [(0o775, "its group"), (0o777, "everyone")] as [(mode_t, String)] {
      let path = name.isEmpty ? scratch.path : scratch(name)
      #expect(chmod(path, mode) == 0)
      let (code, message) = verification(of: plugin)
      #expect(code == .writableByOthers)
      #expect(
        message
          == "the plugin '\(plugin)' is refused: the directory '\(path)' can be written by \(who), who could put another file "
          + "there; run 'chmod go-w \(path)', or put the plugin elsewhere")
    }
  }

  @Test("in a directory with the sticky bit, others cannot replace our files")
  func sticky() {
    mode("top", 0o1777)
    #expect(verification(of: plugin) == (nil, ""))
    mode("top/plugins", 0o1777)
    #expect(verification(of: plugin) == (nil, ""))
  }

  @Test("the directories that a link goes through count, even if the link's target is safe")
  func links() throws {
    try scratch.directory("open")
    try scratch.link("open/echo.so", to: plugin)
    try scratch.link("way", to: "open/echo.so")
    #expect(verification(of: scratch("way")).code == nil)
    mode("open", 0o777)
    for path in ["open/echo.so", "way"] {
      let (code, message) = verification(of: scratch(path))
      #expect(code == .writableByOthers)
      #expect(message.contains("the directory '\(scratch("open"))' can be written by everyone"))
    }
    #expect(verification(of: plugin).code == nil)
  }

  @Test("the directories that dots go through count")
  func dots() throws {
    try scratch.directory("open/inner")
    mode("open", 0o777)
    #expect(verification(of: scratch("open/inner/../../top/plugins/echo.so")).code == .writableByOthers)
  }

  @Test("a file that belongs to another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
  func owner() throws {
    #expect(chown(plugin, 12345, 12345) == 0)
    let refused = verification(of: plugin)
    #expect(refused.code == .writableByOthers)
    #expect(
      refused.message
        == "the plugin '\(plugin)' is refused: the file '\(plugin)' belongs to the user 12345, who could change it; "
        + "run 'chown root \(plugin)' if you trust it, or put the plugin elsewhere")
    // That user trusts it, like everything that belongs to root.
    #expect(verification(of: plugin, user: 12345).code == nil)
    let other = verification(of: plugin, user: 54321)
    #expect(other.message.hasSuffix("; copy the plugin into a directory of your own if you trust it"))

    #expect(chown(plugin, 0, 0) == 0)
    #expect(chown(scratch("top"), 12345, 0) == 0)
    #expect(verification(of: plugin).message.contains("the directory '\(scratch("top"))' belongs to the user 12345"))
  }

  @Test(
    "a sticky directory does not protect files of another user",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func stickyForeign() throws {
    mode("top", 0o1777)
    try scratch.link("top/link", to: "plugins")
    #expect(verification(of: scratch("top/link/echo.so")).code == nil)
    #expect(lchown(scratch("top/link"), 12345, 12345) == 0)
    let (code, message) = verification(of: scratch("top/link/echo.so"))
    #expect(code == .writableByOthers)
    #expect(
      message.contains(
        "in the directory '\(scratch("top"))', which can be written by everyone, '\(scratch("top/link"))' belongs to the user 12345"
      ))
  }

  @Test("a file that is not a regular file is refused without blocking")
  func kinds() throws {
    #expect(mkfifo(scratch("fifo.so"), 0o600) == 0)
    #expect(verification(of: scratch("fifo.so")).message.contains("it is not a regular file, but a FIFO"))
    #expect(verification(of: "/dev/zero").message.contains("it is not a regular file, but a device"))
    #expect(verification(of: scratch("top")).message.contains("it is a directory; name the shared object in it"))
    #expect(verification(of: scratch("top")).code == .notASharedObject)
  }

  @Test("missing files and circular links are reported")
  func missing() throws {
    #expect(verification(of: scratch("none.so")).code == .notFound)
    try scratch.link("a.so", to: "b.so")
    try scratch.link("b.so", to: "a.so")
    #expect(throws: Refusal.self) { _ = try TrustedPath(user: geteuid()).open(scratch("a.so")) }
    let file = try PluginFile(at: plugin, origin: .commandLine)
    #expect(unlink(plugin) == 0)
    let error = #expect(throws: PluginError.self) { try PluginVerifier().verify(file) }
    #expect(error?.code == .notFound)
  }

  @Test("an unreadable file is reported", .enabled(if: geteuid() != 0, "root may read everything"))
  func unreadable() {
    mode("top/plugins/echo.so", 0)
    #expect(verification(of: plugin).code == .unreadable)
  }

  @Test("the verified content is loaded, even if the path leads elsewhere later")
  func sameFile() throws {
    let file = try PluginFile(at: plugin, origin: .commandLine)
    let verified = try PluginVerifier().verify(file)
    let hash = try verified.sha256()
    #expect(rename(try scratch.write("#!/bin/sh\n", to: "top/other"), plugin) == 0)
    #expect(try bytes(of: verified.loadPath).starts(with: [0x7F, 0x45, 0x4C, 0x46]))
    #expect(try verified.sha256() == hash)
    #expect(fcntl(verified.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test("a descriptor is closed with its owner")
  func closed() throws {
    let descriptor = try PluginVerifier().verify(PluginFile(at: plugin, origin: .commandLine)).descriptor
    // Another test may have opened a file under the same number meanwhile.
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    #expect(target != plugin)
  }
}
