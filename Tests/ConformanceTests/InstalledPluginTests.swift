import Foundation
import Testing

/// What `penstock plugins add`, `install` and `remove` do, as seen from outside.
@Suite("Installing plugins", .serialized)
struct InstalledPluginTests {
  private let place: InstallationPlace

  init() throws { place = try InstallationPlace() }

  @Test("a plugin is added from a URL, with a redirect, pinned, found, and removed")
  func life() async throws {
    try await place.compile(version: "1.2.0")
    place.server.answer("/old", .redirect("/echo-1.2.0.so?token=a"))
    place.server.answer("/echo-1.2.0.so?token=a", .body(try place.bytes()))
    let added = try await place.shell("penstock plugins add \(place.server.url("/old")) --yes")
    #expect(added.code == 0, "\(added)")
    #expect(added.output.hasPrefix("echo 1.2.0  Echoes\n  from           \(place.server.url("/old"))\n"))
    #expect(added.output.contains("\n  redirected to  \(place.server.url("/echo-1.2.0.so?…"))\n"))
    #expect(added.output.hasSuffix("\nAdded echo 1.2.0, and pinned in plugins.lock\n"))
    #expect(place.installed() == ["libpenstock-echo.so"])
    let lock = try await place.shell(
      "test \"$(tail -n 1 plugins.lock)\" = \"echo 1.2.0 $(uname -m) $(sha256sum echo.so | cut -c 1-64) \(place.server.url("/old"))\""
    )
    #expect(lock.code == 0)

    let listed = try await place.shell("penstock plugins list --json | grep '\"id\":\"echo\"'; penstock plugins verify")
    #expect(
      listed.output.contains(#""path":"\#(place.folder)/libpenstock-echo.so","standard":false,"isolation":"process""#))
    #expect(listed.output.hasSuffix("1 plugin: 1 ok, 0 failed\n"))

    let again = try await place.shell("penstock plugins add ./echo.so --yes --json")
    #expect(again.output.contains(#""outcome":"present""#))
    #expect(try await place.shell("grep -c '/old$' plugins.lock").output == "1\n", "the URL of a known hash is kept")

    let removed = try await place.shell("penstock plugins remove echo")
    #expect(removed.output == "Removed \(place.folder)/libpenstock-echo.so, and 1 line of plugins.lock\n")
    #expect(place.installed() == [])
    let twice = try await place.shell("penstock plugins remove echo --json")
    #expect(twice.code == 2)
    #expect(twice.output.contains(#""error":{"code":"plugin-not-found""#))
  }

  @Test("another version replaces the installed one only if told, and both versions are named")
  func replacement() async throws {
    try await place.compile(version: "1.0.0")
    #expect(try await place.shell("cp echo.so first.so; penstock plugins add ./first.so --yes").code == 0)
    try await place.compile(version: "2.0.0")
    let refused = try await place.shell("penstock plugins add ./echo.so --yes")
    #expect(refused.code == 2)
    #expect(
      refused.errors
        == "penstock: the plugin 'echo' is already installed: '\(place.folder)/libpenstock-echo.so' is version 1.0.0, and './echo.so' is version 2.0.0; add --replace to replace it\n"
    )
    #expect(place.installed() == ["libpenstock-echo.so"])
    let replaced = try await place.shell("penstock plugins add ./echo.so --yes --replace --json")
    #expect(replaced.code == 0)
    #expect(replaced.output.contains(#""outcome":"replaced","version":"2.0.0""#))
    #expect(replaced.output.contains(#""replaced_version":"1.0.0""#))
    #expect(
      try await place.shell("grep -c '^echo ' plugins.lock; cmp echo.so '\(place.folder)/libpenstock-echo.so'").output
        == "1\n")
  }

  @Test("what the lock names is installed once, and a changed file is replaced by the pinned one")
  func install() async throws {
    try await place.compile()
    place.server.answer("/echo.so", .body(try place.bytes()))
    #expect(try await place.shell("penstock plugins add \(place.server.url("/echo.so")) --yes && rm -r home").code == 0)
    let first = try await place.shell("penstock plugins install")
    #expect(first.output.hasPrefix("added     echo  1.0.0  "), "\(first)")
    #expect(first.output.hasSuffix("\n1 plugin: 1 installed, 0 failed\n"))
    let second = try await place.shell("penstock plugins install --json")
    #expect(second.output.hasPrefix(#"{"id":"echo","outcome":"present","version":"1.0.0","#))
    #expect(place.server.requests == ["/echo.so", "/echo.so"])

    try await place.compile(version: "6.6.6")
    let changed = try await place.shell("cp echo.so '\(place.folder)/libpenstock-echo.so'; penstock plugins install")
    #expect(changed.output.hasPrefix("replaced  echo  1.0.0  "))
    #expect(try await place.shell("penstock plugins verify").code == 0)
  }

  @Test("of several lines for a plugin, the next is tried after one whose file is missing or another one")
  func mirrors() async throws {
    try await place.compile()
    place.server.answer("/echo.so", .body(try place.bytes()))
    place.server.answer("/other.so", .body([1, 2, 3]))
    let lock = """
      hash=$(sha256sum echo.so | cut -d ' ' -f 1)
      line() { echo "echo 1.0.0 $(uname -m) $hash $1"; }
      """
    let (gone, other) = (place.server.url("/gone.so"), place.server.url("/other.so"))
    let failed = try await place.shell(
      "\(lock)\n{ line \(gone); line missing.so; line \(other); } > plugins.lock; penstock plugins install")
    #expect(failed.code == 1 && place.installed() == [])
    let first = try #require(failed.output.range(of: "/gone.so"))
    let rest = failed.output[first.upperBound...]
    #expect(rest.contains("; then ") && rest.contains("missing.so") && rest.contains("'\(other)' has the SHA-256 "))
    let found = try await place.shell(
      "\(lock)\nline \(place.server.url("/echo.so")) >> plugins.lock; penstock plugins install")
    #expect(found.output.hasPrefix("added     echo  1.0.0  "), "\(found)")
  }

  @Test("a plugin that is checked sees only the environment variables that every plugin sees, and those that are named")
  func environment() async throws {
    try await place.compile(describing: #"if (getenv("TOKEN") != NULL) abort();"#)
    #expect(try await place.shell("TOKEN=secret penstock plugins add ./echo.so --yes").code == 0)
    let check = "TOKEN=secret penstock plugins check ./echo.so --only description"
    #expect(try await place.shell(check).code == 0)
    #expect(try await place.shell("\(check) --environment TOKEN").code == 1)
  }

  @Test("a plugin that is found elsewhere is not added a second time, unless it is the same file")
  func elsewhere() async throws {
    try await place.compile()
    let same = try await place.shell(
      "mkdir other; cp echo.so other; PENSTOCK_PLUGIN_PATH=$PWD/other penstock plugins add ./echo.so --yes")
    #expect(same.code == 0 && place.installed() == [])
    try await place.compile(version: "2.0.0")
    let outcome = try await place.shell("PENSTOCK_PLUGIN_PATH=$PWD/other penstock plugins add ./echo.so --yes --json")
    #expect(outcome.code == 2)
    #expect(outcome.output.contains(#""code":"plugin-ambiguous""#))
    #expect(
      outcome.errors.hasPrefix("penstock: a plugin 'echo' exists already at '\(place.path)/other/echo.so', "),
      "\(outcome)")
  }

  @Test("without a terminal it needs --yes, before anything is fetched, and on a terminal it asks")
  func question() async throws {
    try await place.compile()
    place.server.answer("/echo.so", .body(try place.bytes()))
    let silent = try await place.shell("penstock plugins add \(place.server.url("/echo.so"))")
    #expect(silent.code == 2 && place.server.requests == [])
    #expect(silent.errors.hasPrefix("penstock: standard input is not a terminal, so penstock cannot ask"))
    #expect(try await place.shell("penstock plugins add ./echo.so --json").code == 2)
    let terminal = """
      import os, pty, sys
      answer = sys.argv[1]
      pid, descriptor = pty.fork()
      if pid == 0: os.execvp("penstock", ["penstock", "plugins", "add", "./echo.so"])
      text = b""
      while True:
        try: piece = os.read(descriptor, 4096)
        except OSError: break
        if not piece: break
        text += piece
        if text.endswith(b"[y/N] "):
          # Nothing is typed after Ctrl-C.
          os.write(descriptor, answer.encode() if answer == "\\x03" else (answer + "\\n").encode())
          text += b"|"
      print(text.decode(), "exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
      """
    try terminal.write(toFile: "\(place.path)/terminal.py", atomically: false, encoding: .utf8)
    let no = try await place.shell("python3 terminal.py n")
    #expect(no.output.contains("operation      echo  Gives back its requirement\r\nAdd it? [y/N] |"), "\(no)")
    #expect(no.output.hasSuffix("penstock: not added\r\n exit 1\n"), "\(no)")
    #expect(place.installed() == [])
    let yes = try await place.shell("python3 terminal.py y")
    #expect(yes.output.hasSuffix("Added echo 1.0.0, and pinned in plugins.lock\r\n exit 0\n"), "\(yes)")
    #expect(place.installed() == ["libpenstock-echo.so"])
    let interrupted = try await place.shell("rm -r home; python3 terminal.py $(printf '\\003')")
    #expect(interrupted.output.hasSuffix("penstock: cancelled\r\n exit 130\n"), "\(interrupted)")
    #expect(place.installed() == [])
  }

  @Test("a signal during a download leaves no file, and what a killed process left is deleted later")
  func signals() async throws {
    try await place.compile()
    place.server.answer("/silence.so", .silence)
    let outcome = try await place.shell(
      """
      penstock plugins add \(place.server.url("/silence.so")) --yes & adding=$!
      until ls -A '\(place.folder)' 2> /dev/null | grep -q adding; do sleep 0.02; done
      kill -TERM $adding; wait $adding; echo "exit $?"; ls -A '\(place.folder)'
      penstock plugins add \(place.server.url("/silence.so")) --yes & adding=$!
      until ls -A '\(place.folder)' | grep -q adding; do sleep 0.02; done
      kill -KILL $adding; wait $adding
      touch -d '1 hour ago' '\(place.folder)'/.penstock-adding-*
      penstock plugins add ./echo.so --yes -q; ls -A '\(place.folder)'
      """)
    #expect(outcome.output == "exit 130\nlibpenstock-echo.so\n", "\(outcome)")
  }

  @Test("processes that add at the same time lose no line and no file")
  func together() async throws {
    try await place.compile()
    let outcome = try await place.shell(
      """
      for n in 1 2 3 4; do
        sed "s/echo/echo$n/g" echo.c > echo$n.c
        cc -shared -fPIC -I '\(InstallationPlace.include)' -o e$n.so echo$n.c || exit 9
      done
      for n in 1 2 3 4 1 2 3 4; do penstock plugins add ./e$n.so --yes -q 2>> errors & done; wait
      ls -A '\(place.folder)'; cut -d ' ' -f 1 plugins.lock | sort; grep -v 'another process has changed' errors
      """)
    #expect(
      outcome.output
        == (1...4).map { "libpenstock-echo\($0).so\n" }.joined() + "#\n" + (1...4).map { "echo\($0)\n" }.joined(),
      "\(outcome)")
  }

  @Test("versions that are added at the same time leave the line of the installed file")
  func race() async throws {
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
      try await place.compile(version: version)
      _ = try await place.shell("mv echo.so v\(version.prefix(1)).so")
    }
    let outcome = try await place.shell(
      """
      for turn in 1 2 3; do
        for n in 1 2 3 1; do penstock plugins add ./v$n.so --replace --yes -q 2>> errors & done; wait
        grep -c . plugins.lock; penstock plugins verify -q
      done
      grep -v 'another process has changed' errors
      """)
    #expect(outcome.output == "2\n2\n2\n", "\(outcome)")
  }

  @Test("jobs that install the same plugin at the same time all succeed")
  func jobs() async throws {
    try await place.compile()
    let outcome = try await place.shell(
      """
      penstock plugins add ./echo.so --yes -q && rm -r home && mkdir home
      for n in 1 2 3 4; do (penstock plugins install -q; echo $?) & done; wait; ls -A '\(place.folder)'
      """)
    #expect(outcome.output == "0\n0\n0\n0\nlibpenstock-echo.so\n", "\(outcome)")
  }

  @Test("what `make dist` of a new plugin makes can be published and added as it is")
  func dist() async throws {
    let outcome = try await place.shell(
      """
      penstock plugins new words --language c -q && make -s -C words dist | tail -n 1 > line && cat line
      penstock plugins add words/dist/words-0.1.0-*.so --yes -q && sed -n 2p plugins.lock
      cd words/dist && sha256sum -c --quiet *.sha256 && ls | wc -l
      """)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 3, "\(outcome)")
    #expect(lines[1].hasPrefix("\(lines[0]) words/dist/words-0.1.0-"))
    #expect(lines[2] == "2")
  }
}
