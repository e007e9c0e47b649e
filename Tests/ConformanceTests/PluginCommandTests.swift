import Foundation
import Subprocess
import Testing

/// What `penstock plugins` does with files, as seen from outside.
@Suite("Commands for plugins")
struct PluginCommandTests {
  /// A directory for one test that contains the plugin `echo`.
  final class Place {
    let path: String
    var plugin: String { path + "/echo.so" }

    init() throws {
      path = NSTemporaryDirectory() + "penstock-plugins-" + UUID().uuidString.lowercased()
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Runs a command line with the built tool first in `PATH`, and only this directory as `PENSTOCK_PLUGIN_PATH`.
    func shell(_ command: String) async throws -> (output: String, errors: String, code: Int32?) {
      let outcome = try await Subprocess.run(
        .name("timeout"), arguments: ["--kill-after=5", "60", "/bin/sh", "-c", command],
        environment: .inherit.updating([
          "PATH": "\(BuiltPenstock.directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
          "PENSTOCK_PLUGIN_PATH": path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        ]),
        workingDirectory: .init(path), input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      guard case .exited(let code) = outcome.terminationStatus else {
        return (outcome.standardOutput, outcome.standardError, nil)
      }
      return (outcome.standardOutput, outcome.standardError, Int32(code))
    }

    /// Compiles one of the sources in `Plugins`.
    func compile(source: String, to name: String) async throws {
      let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let include = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/PluginABI/include").path
      let compiled = try await shell(
        "cc -Wall -Wno-infinite-recursion -shared -fPIC -I '\(include)' -o new '\(tests.path)/Plugins/\(source)' && chmod 755 new && mv new \(name)"
      )
      try #require(compiled.code == 0, "\(compiled.errors)")
    }

    /// Compiles the plugin, or recompiles it with another `version`; `create` and `describing` are code that runs when an instance is created, and when the plugin is described.
    func compile(version: String = "1.0.0", create: String = "", describing: String = "") async throws {
      var header = URL(fileURLWithPath: #filePath)
      for _ in 0..<3 { header.deleteLastPathComponent() }
      let source = #"""
        #include <penstock/plugin.h>
        #include <stdlib.h>
        static penstock_text describe(void) {
          DESCRIBE return PENSTOCK_TEXT("{\"id\":\"echo\",\"version\":\"VERSION\",\"summary\":\"Echoes\",\"offers\":["
            "{\"kind\":\"operation\",\"id\":\"echo\",\"summary\":\"Gives back its requirement\",\"requirement\":\"json\","
            "\"settings\":[{\"name\":\"times\",\"type\":\"int\",\"summary\":\"How often\",\"default\":1}]}]}");
        }
        static const penstock_host *host;
        static penstock_status opened(const penstock_host *the_host) { host = the_host; return PENSTOCK_OK; }
        static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
          (void)offer; (void)settings; CREATE *instance = (void *)(uintptr_t)id; return PENSTOCK_OK;
        }
        static void start(void *instance, penstock_text input) {
          (void)input;
          const penstock_instance_service *instances = host->service(host, PENSTOCK_INSTANCE);
          instances->complete(host, (penstock_id)(uintptr_t)instance, PENSTOCK_TEXT("\"VERSION\""));
        }
        static void stop(void *instance, uint64_t nanoseconds) { (void)instance; (void)nanoseconds; }
        static void destroy(void *instance) { (void)instance; }
        static const penstock_functions functions = { sizeof(penstock_functions), 0, create, start, stop, destroy };
        static const void *capability(penstock_text id) {
          return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
        }
        PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
          sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, opened, NULL, capability };
        """#.replacing("VERSION", with: version).replacing("CREATE", with: create).replacing(
          "DESCRIBE", with: describing)
      try source.write(toFile: path + "/echo.c", atomically: false, encoding: .utf8)
      let include = header.appendingPathComponent("Sources/PluginABI/include").path
      let compiled = try await shell(
        "cc -shared -fPIC -I '\(include)' -o new.so echo.c && chmod 755 new.so && mv new.so echo.so")
      try #require(compiled.code == 0, "\(compiled.errors)")
    }
  }

  private let place: Place

  init() throws { place = try Place() }

  @Test("a plugin is pinned, verified unchanged, and rejected after a change until it is pinned again")
  func pins() async throws {
    try await place.compile()
    let unpinned = try await place.shell("penstock plugins verify ./echo.so")
    #expect(unpinned.code == 0)
    #expect(
      unpinned.output.contains(
        "(not pinned)\n1 plugin: 1 ok, 0 failed. plugins.lock does not exist; create it with --write\n")
    )

    let pinned = try await place.shell(
      "penstock plugins verify --write echo && grep -c '^echo - .* echo.so$' plugins.lock")
    #expect(pinned.code == 0)
    #expect(pinned.output.hasPrefix("pinned  echo  "))
    #expect(pinned.output.hasSuffix("\n1\n"))
    let sum = try await place.shell("grep -v '#' plugins.lock | cut -d ' ' -f 4; sha256sum echo.so | cut -c 1-64")
    let hashes = sum.output.split(separator: "\n")
    #expect(hashes.count == 2 && hashes[0] == hashes[1])
    #expect(try await place.shell("penstock plugins verify").code == 0)

    try await place.compile(version: "1.0.1")
    let changed = try await place.shell("penstock plugins verify --json")
    #expect(changed.code == 1)
    #expect(changed.output.contains(#""outcome":"failed""#))
    #expect(changed.output.contains(#""code":"hash-mismatch""#))
    #expect(changed.output.contains("'penstock plugins verify --write' pins the new one"))
    #expect(try await place.shell("penstock plugins verify --write && penstock plugins verify").code == 0)
  }

  @Test("several lines for one id are alternatives, and not every file has to exist")
  func alternatives() async throws {
    try await place.compile()
    let others = "echo echo 1.0 - \(String(repeating: "a", count: 64)) echo-arm.so"
    let own = "echo echo 1.0 - $(sha256sum echo.so | cut -c 1-64) echo.so"
    #expect(try await place.shell("(\(others); \(own)) > plugins.lock; penstock plugins verify").code == 0)
    // An existing file for another processor is not considered here.
    let both = try await place.shell(
      "cp echo.so echo-arm.so; printf '\\363' | dd of=echo-arm.so bs=1 seek=18 conv=notrunc status=none; penstock plugins verify"
    )
    #expect(both.code == 0, "\(both.output)")
    #expect(both.output.hasSuffix("1 plugin: 1 ok, 0 failed\n"))

    let wrong = try await place.shell("(\(others); \(others)2) > plugins.lock; penstock plugins verify")
    #expect(wrong.code == 1)
    #expect(wrong.output.contains("its SHA-256 is "))
    let missing = try await place.shell("rm *.so; penstock plugins verify")
    #expect(missing.code == 1)
    #expect(
      missing.output.hasPrefix(
        "failed  echo  none of 'echo-arm.so', 'echo-arm.so2', where it was pinned, is there, and there is no plugin 'echo': "
      ))
  }

  @Test("no pin is written if one plugin fails")
  func noPartialPins() async throws {
    try await place.compile()
    let outcome = try await place.shell(
      "cp echo.so open.so; chmod 777 open.so; penstock plugins verify --write echo open; ls")
    #expect(
      outcome.output.contains(
        "failed  open  the plugin '\(place.path)/open.so' is refused: the file can be written by everyone"))
    #expect(outcome.errors.contains("plugins.lock was not written"))
    #expect(!outcome.output.contains("plugins.lock\n"))
  }

  @Test("a plugin that is found but rejected is listed with the reason")
  func list() async throws {
    try await place.compile()
    let outcome = try await place.shell("echo text > broken.so; penstock plugins list --json")
    #expect(outcome.code == 1)
    let line = try #require(outcome.output.split(separator: "\n").first { $0.contains(#""id":"broken""#) })
    #expect(line.contains(#""error":{"code":"not-a-shared-object","#))
    #expect(outcome.errors.contains("broken.so' is refused: it is not a shared object"))
  }

  @Test("a plugin that did not come with Penstock is inspected in its own process")
  func inspect() async throws {
    try await place.compile(version: "2.1.0")
    let listed = try await place.shell("penstock plugins list --json | grep '\"id\":\"echo\"'")
    #expect(listed.output.contains(#""standard":false,"isolation":"process","#))
    #expect(listed.output.contains(#""version":"2.1.0","operations":1,"controllers":0,"specifications":0"#))
    let shown = try await place.shell("penstock plugins inspect ./echo.so")
    #expect(shown.code == 0)
    #expect(shown.output.hasPrefix("echo 2.1.0  Echoes\n  file         \(place.path)/echo.so\n"))
    #expect(
      shown.output.contains("\noperation echo  Gives back its requirement\n  requirement  json\n  result       json\n"))
    #expect(shown.output.hasSuffix("\n  times    int   1        How often\n"))
    let json = try await place.shell("penstock plugins inspect echo --json")
    #expect(
      json.output.contains(
        #""settings":[{"name":"times","type":"int","summary":"How often","required":false,"default":1}]"#))
  }

  @Test("a plugin with only operations is reloaded during a run, and a failed replacement is reported")
  func replacedDuringRun() async throws {
    try await place.compile(version: "2.0.0")
    _ = try await place.shell("mv echo.so second")
    try await place.compile()
    let outcome = try await place.shell(
      """
      cat > p.yaml <<'END'
      name: p
      operations:
        - { name: a, uses: echo }
        - { name: b, needs: a, run: "touch began; until [ -e go ]; do sleep 0.02; done" }
        - { name: c, needs: b, uses: echo }
        - { name: d, needs: c, run: "touch again; until [ -e on ]; do sleep 0.02; done" }
        - { name: e, needs: d, uses: echo }
      END
      penstock run p.yaml --json --workspace w > out 2> errors & pid=$!
      until [ -e began ]; do sleep 0.02; done
      mv second echo.so
      until grep -q 'reloaded from' errors; do sleep 0.02; done
      touch go
      until [ -e again ]; do sleep 0.02; done
      echo broken > new && chmod 755 new && mv new echo.so
      until grep -q 'the old code runs on' errors; do sleep 0.02; done
      touch on
      wait $pid; echo "exit $?"
      penstock history sql --workspace w --csv "SELECT operation, result FROM operations WHERE result IS NOT NULL ORDER BY operation"
      """)
    #expect(outcome.output.hasPrefix("exit 0\n"), "\(outcome)")
    let results = outcome.output.split(separator: "\n").filter { $0.contains(".0.0") }
    #expect(results.map { String($0.filter { $0 != "\"" }) } == ["a,1.0.0", "c,2.0.0", "e,2.0.0"], "\(outcome)")
  }

  @Test("the reason why an offer cannot be checked is reported once")
  func skipped() async throws {
    try await place.compile(
      create: #"""
        const penstock_instance_service *instances = host->service(host, PENSTOCK_INSTANCE);
        instances->fail(host, id, PENSTOCK_TEXT("{\"code\":\"no\",\"message\":\"never\"}")); if (instances) return PENSTOCK_INVALID;
        """#)
    let outcome = try await place.shell("penstock plugins check echo --only create --only run --only stop")
    #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("    skipped: ") } == 1, "\(outcome)")
    #expect(outcome.output.contains("3 checks: 0 passed, 3 skipped"), "\(outcome)")
  }

  @Test("a FIFO is not checked")
  func fifo() async throws {
    let outcome = try await place.shell("mkfifo pipe.so; timeout -s KILL 10 penstock plugins check ./pipe.so")
    #expect(outcome.code == 2)
    #expect(outcome.errors == "penstock: cannot read './pipe.so': it is a FIFO or pipe, not a regular file\n")
  }

  @Test("the process of a check ends when the command is killed, whatever the plugin does")
  func killedCheck() async throws {
    try await place.compile(source: "mischief.c", to: "mischief.so")
    let outcome = try await place.shell(
      """
      MISCHIEF='describe hang' penstock plugins check ./mischief.so > /dev/null 2>&1 &
      check=$!
      # The child that has loaded the plugin; the first one that is seen may be about to become another program.
      until
        for status in $(grep -ls "^PPid:.$check$" /proc/[0-9]*/status); do
          if grep -qs mischief.so "${status%status}maps"; then child=$status; fi
        done
        [ "$child" ]
      do sleep 0.02; done
      kill -KILL $check
      while grep -q '^State:.[^ZX]' "$child" 2> /dev/null; do sleep 0.02; done
      echo gone
      """)
    #expect(outcome.output.hasSuffix("gone\n"), "\(outcome)")
  }

  @Test("a plugin that does not exist is an invalid argument")
  func missing() async throws {
    try await place.compile()
    let outcome = try await place.shell("penstock plugins inspect ehco")
    #expect(outcome.code == 2)
    #expect(outcome.errors.hasPrefix("penstock: there is no plugin 'ehco': looked in "))
    #expect(outcome.errors.hasSuffix("; did you mean 'echo'?\n"))
  }

  @Test("a new plugin cannot have the name of an existing one")
  func takenName() async throws {
    try await place.compile()
    let outcome = try await place.shell("penstock plugins new echo --language c; ls")
    #expect(outcome.errors.hasPrefix("penstock: there is already a plugin 'echo', "))
    #expect(outcome.errors.hasSuffix("/echo.so; choose another name\n"))
  }

  @Test("a broken plugins.lock is reported with its line")
  func brokenLock() async throws {
    let outcome = try await place.shell("echo 'echo 1 - abc' > plugins.lock; penstock plugins verify")
    #expect(outcome.code == 2)
    #expect(outcome.errors.hasPrefix("penstock: 'plugins.lock', line 1: 'abc' is not an SHA-256; "))
  }
}
