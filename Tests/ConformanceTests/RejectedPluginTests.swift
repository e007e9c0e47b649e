import Foundation
import Testing

/// What `penstock plugins add` and `install` do with what cannot be installed, as seen from outside.
@Suite("Plugins that cannot be installed", .serialized)
struct RejectedPluginTests {
  private let place: InstallationPlace

  init() throws { place = try InstallationPlace() }

  @Test("a file with another hash is not installed, and not loaded")
  func wrongHash() async throws {
    try await place.compile(version: "6.6.6")
    place.server.answer("/echo.so", .body(try place.bytes()))
    let hash = String(repeating: "a", count: 64)
    let added = try await place.shell(
      "penstock plugins add \(place.server.url("/echo.so")) --yes --json --sha256 \(hash)")
    #expect(added.code == 1)
    #expect(
      added.output.contains(
        #""error":{"code":"hash-mismatch","message":"'\#(place.server.url("/echo.so"))' has the SHA-256 "#))
    #expect(added.errors.contains(", not \(hash): it is another file, or was changed; "))
    let installed = try await place.shell(
      "echo \"echo 1.0.0 $(uname -m) \(hash) \(place.server.url("/echo.so"))\" > plugins.lock; penstock plugins install"
    )
    #expect(installed.code == 1)
    #expect(installed.output.hasPrefix("failed    echo  '\(place.server.url("/echo.so"))' has the SHA-256 "))
    #expect(installed.output.hasSuffix("\n1 plugin: 0 installed, 1 failed\n"))
    #expect(place.installed() == [])
  }

  @Test(
    "a file that is not a plugin for this computer is rejected with the reason",
    arguments: [
      ("echo text > f.so", "not-a-shared-object", "it is not a shared object; "),
      ("printf '' > f.so", "not-a-shared-object", "it is empty; "),
      ("head -c 300 echo.so > f.so", "not-a-shared-object", "it is damaged: "),
      ("gzip -c echo.so > f.so", "not-a-shared-object", "but a compressed file; "),
      (
        "cp echo.so f.so; printf '\\050\\000' | dd of=f.so bs=1 seek=18 conv=notrunc status=none", "wrong-architecture",
        "it is for arm, and this computer is "
      ),
    ])
  func notAPlugin(making: String, code: String, reason: String) async throws {
    try await place.compile()
    let outcome = try await place.shell("\(making); penstock plugins add ./f.so --yes --json")
    #expect(outcome.code == 1)
    #expect(outcome.output.contains(#""error":{"code":"\#(code)","#), "\(outcome)")
    #expect(outcome.errors.hasPrefix("penstock: the plugin './f.so' is refused: "))
    #expect(outcome.errors.contains(reason), "\(outcome)")
    #expect(place.installed() == [])
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/plugins.lock"))
  }

  @Test(
    "an argument that cannot be read is a usage error",
    arguments: [
      ("./none.so", "cannot read './none.so': No such file or directory; "),
      (".", "cannot read '.': it is a directory; "),
      ("./pipe.so", "cannot read './pipe.so': it is a FIFO or pipe, not a regular file; "),
      ("ftp://h/a.so", "a plugin cannot be fetched by 'ftp'; the supported schemes are https, http and file"),
      ("file://h/a.so", "'file://h/a.so' is not the URL of a file on this computer; "),
      ("'http://h:0/a.so'", "'http://h:0/a.so' cannot be fetched: "),
    ])
  func unreadable(argument: String, reason: String) async throws {
    let outcome = try await place.shell(
      "mkfifo pipe.so; timeout -s KILL 20 penstock plugins add \(argument) --yes --json")
    #expect(outcome.code == 2, "\(outcome)")
    #expect(outcome.errors.hasPrefix("penstock: \(reason)"), "\(outcome)")
    #expect(outcome.output.contains(#""error":{"code":"plugin-source","#))
  }

  @Test("a failed download says why, and leaves nothing")
  func downloads() async throws {
    try await place.compile()
    place.server.answer("/short.so", .truncated(try place.bytes()))
    place.server.answer("/away.so", .redirect("ftp://127.0.0.1/a.so"))
    place.server.answer("/circle.so", .redirect("/circle.so"))
    for (path, reason) in [
      ("/none.so", "http-status"), ("/short.so", "incomplete-body"), ("/away.so", "redirect-refused"),
      ("/circle.so", "too-many-redirects"),
    ] {
      let outcome = try await place.shell("penstock plugins add '\(place.server.url(path))' --yes --json")
      #expect(outcome.code == 1)
      #expect(outcome.output.contains(#""code":"plugin-not-fetched","#), "\(outcome)")
      #expect(outcome.output.contains(#""reason":"\#(reason)""#), "\(outcome)")
      #expect(outcome.errors.hasPrefix("penstock: cannot fetch '\(place.server.url(path))': "))
    }
    #expect(place.installed() == [])
  }

  @Test("a download without an end is stopped at the limit")
  func endless() async throws {
    place.server.answer("/endless.so", .endless)
    let outcome = try await place.shell("penstock plugins add \(place.server.url("/endless.so")) --yes --json")
    #expect(outcome.code == 1)
    #expect(outcome.output.contains(#""code":"plugin-too-large","#), "\(outcome)")
    #expect(place.installed() == [])
  }

  @Test(
    "a plugin that crashes, ends or hangs when it is loaded is not installed",
    arguments: ["describe segfault", "describe _exit", "describe hang"])
  func mischief(what: String) async throws {
    try await place.plugins.compile(source: "mischief.c", to: "mischief.so")
    let outcome = try await place.shell("LANG='\(what)' LC_ALL= penstock plugins add ./mischief.so --yes --json")
    #expect(outcome.code == 1, "\(outcome)")
    #expect(outcome.errors.hasPrefix("penstock: the plugin './mischief.so' fails the check "), "\(outcome)")
    #expect(outcome.output.contains(#""code":"plugin-check-failed""#))
    #expect(place.installed() == [])
  }

  @Test("a folder that cannot be written is an error of this computer")
  func unwritable() async throws {
    try await place.compile()
    let outcome = try await place.shell(
      "mkdir home/.local; touch home/.local/lib; penstock plugins add ./echo.so --yes --json")
    #expect(outcome.code == 3)
    #expect(
      outcome.output.contains(
        #""error":{"code":"plugin-folder","message":"cannot create '\#(place.path)/home/.local/lib': "#))
    let none = try await place.plugins.shell("HOME= penstock plugins add ./echo.so --yes")
    #expect(none.code == 3)
    #expect(
      none.errors.hasPrefix("penstock: there is no folder for plugins, because HOME is not set to an absolute path; "))
  }

  @Test(
    "a folder that others can write is rejected, whatever the hash, and one that is created is not, whatever the umask")
  func openFolder() async throws {
    try await place.compile()
    let created = try await place.shell(
      "umask 0; rm -r home; mkdir -m 755 home; penstock plugins add ./echo.so --yes -q")
    #expect(created.code == 0, "\(created)")
    let outcome = try await place.shell("chmod 777 '\(place.folder)'; penstock plugins add ./echo.so --yes")
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("run 'chmod go-w \(place.folder)'"), "\(outcome)")
  }

  @Test("an invalid lock is reported before anything is fetched, and a missing one before anything is installed")
  func brokenLock() async throws {
    place.server.answer("/echo.so", .silence)
    let outcome = try await place.shell(
      "echo nonsense > plugins.lock; penstock plugins add \(place.server.url("/echo.so")) --yes --json")
    #expect(outcome.code == 2 && place.server.requests == [])
    #expect(outcome.output.contains(#""code":"plugin-lock""#))
    let unwritable = try await place.shell(
      "penstock plugins add \(place.server.url("/echo.so")) --yes --lock none/plugins.lock")
    #expect(unwritable.code == 2 && place.server.requests == [])
    #expect(unwritable.errors.hasPrefix("penstock: cannot write 'none/plugins.lock': No such file or directory; "))
    let missing = try await place.shell("rm plugins.lock; penstock plugins install")
    #expect(missing.code == 2)
    #expect(missing.errors.hasPrefix("penstock: 'plugins.lock' does not exist; "))
  }

  @Test("a line for another architecture, without a place, or of another plugin is reported")
  func unusableLines() async throws {
    try await place.compile()
    let hash = String(repeating: "a", count: 64)
    let outcome = try await place.shell(
      """
      own=$(sha256sum echo.so | cut -c 1-64)
      printf 'far 1 sparc64 \(hash) https://h/a\\nnowhere 1 %s \(hash)\\nother 1 %s %s echo.so\\n' $(uname -m) $(uname -m) $own > plugins.lock
      penstock plugins install --json
      """)
    #expect(outcome.code == 1)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 3)
    #expect(
      lines[0].contains(
        #""code":"plugin-not-locked","message":"'plugins.lock' pins the plugin 'far' only for sparc64, and this computer is "#
      ))
    #expect(
      lines[1].contains(
        #""code":"plugin-not-locked","message":"'plugins.lock' has no URL or path for the plugin 'nowhere'; "#))
    #expect(lines[2].contains(#""code":"plugin-not-found","message":"'echo.so' is the plugin 'echo', not 'other'; "#))
  }
}
