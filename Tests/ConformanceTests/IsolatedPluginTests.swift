import Foundation
import Glibc
import Subprocess
import Testing

/// What plugins in their own processes can do to `penstock`, as seen from outside.
@Suite("Plugins with isolation: process")
struct IsolatedPluginTests {
  private let place: PluginCommandTests.Place

  init() async throws {
    place = try PluginCommandTests.Place()
    try await place.compile(source: "mischief.c", to: "mischief.so")
  }

  @Test("an attempt that waits for a crashed plugin to restart does not time out")
  func waitingForRestart() async throws {
    // The pauses are 100, 200, 400 and 800 ms; no attempt exceeds its timeout once it has begun.
    let outcome = try await place.shell(
      """
      cat > p.yaml <<'END'
      name: p
      operations:
        - name: a
          uses: mischief
          with: { what: segfault }
          timeout: 350ms
          retry: { limit: 4, backoff: constant, base: 1ms, jitter: none, on: [{ error: plugin-crashed }] }
      END
      penstock run p.yaml --json --workspace w
      """)
    let attempts = try await place.shell(
      "penstock history sql --workspace w --csv \"SELECT number, error_code FROM attempts ORDER BY number\"")
    #expect(
      attempts.output.split(whereSeparator: \.isNewline).dropFirst()
        == (1...5).map { "\($0),plugin-crashed" }[...], "\(attempts) \(outcome)")
  }

  @Test(
    "a plugin in its own process cannot read its host's environment, memory and files",
    .enabled(if: getuid() == 0))
  func hiddenHost() async throws {
    // The superuser may read everything, so this runs as another user.
    let outcome = try await place.shell(
      """
      cat > p.yaml <<'END'
      name: p
      plugins: { mischief: { isolation: process } }
      operations: [{ name: a, uses: mischief, with: { what: spy } }]
      END
      chown -R 65534:65534 .
      setpriv --reuid=65534 --regid=65534 --clear-groups penstock run p.yaml --workspace w; echo "exit $?"
      penstock history sql --workspace w --csv "SELECT result FROM operations"
      """)
    #expect(outcome.output.contains("exit 0\n"), "\(outcome)")
    #expect(outcome.output.contains("hidden"), "\(outcome)")
    #expect(!outcome.output.contains("seen"), "\(outcome)")
  }

  @Test("a check of a plugin that allocates memory without limit fails within its memory limit")
  func boundedCheck() async throws {
    try await place.compile(source: "hungry.c", to: "hungry.so")
    let outcome = try await place.shell("penstock plugins check ./hungry.so --only create --memory 64MiB")
    #expect(outcome.code == 1, "\(outcome)")
    #expect(
      outcome.output.contains("it used more than the 64 MiB of memory that a check allows (--memory)"), "\(outcome)")
    let wrong = try await place.shell("penstock plugins check ./hungry.so --memory much")
    #expect(wrong.errors == "penstock: --memory 'much' is not a size; write it as 512MiB or 1GiB\n")
  }
}
