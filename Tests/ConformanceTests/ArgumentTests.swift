import Foundation
import Testing

/// How the tool reads its arguments when the usual ways are unavailable.
@Suite("Arguments of the process")
struct ArgumentTests {
  private let place: TrialPlace

  init() throws {
    place = try TrialPlace()
    try place.write("name: p\noperations:\n  - { name: a, run: touch ran }\n", to: "p.yaml")
  }

  @Test("an agent that changes the environment before main does not affect the arguments")
  func preloadedAgent() async throws {
    try place.write(
      "#include <stdlib.h>\n__attribute__((constructor)) static void agent(void) { setenv(\"AGENT\", \"1\", 1); }\n",
      to: "agent.c")
    let compiled = try await place.shell("cc -shared -fPIC -o agent.so agent.c")
    try #require(compiled.code == 0, "\(compiled.errors)")
    let run = try await place.shell("LD_PRELOAD=$PWD/agent.so penstock run --quiet p.yaml && test -e ran")
    #expect(run.code == 0, "\(run.text)")
    let wrong = try await place.shell("LD_PRELOAD=$PWD/agent.so penstock check nothing.yaml")
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("there is no file 'nothing.yaml'"), "\(wrong.text)")
    let mistake = try await place.shell("LD_PRELOAD=$PWD/agent.so penstock chekc p.yaml")
    #expect(mistake.code == 2)
    #expect(mistake.errors.contains("check"), "\(mistake.text)")
  }

  /// Hiding `/proc` requires a mount namespace, which may not be permitted.
  private static let mayHide = FileManager.default.isReadableFile(atPath: "/proc/self") && canUnshare()

  private static func canUnshare() -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "unshare -m mount -t tmpfs none /proc 2> /dev/null"]
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("a command has its arguments even without /proc", .enabled(if: mayHide, "a mount namespace is not allowed"))
  func missingProc() async throws {
    let hidden = "unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh"
    let check = try await place.shell("\(hidden) penstock check p.yaml")
    #expect(check.code == 0, "\(check.text)")
    #expect(!check.output.contains("OVERVIEW"))
    let wrong = try await place.shell("\(hidden) penstock check nothing.yaml")
    #expect(wrong.code == 2, "\(wrong.text)")
    #expect(wrong.errors.contains("there is no file 'nothing.yaml'"), "\(wrong.text)")
    // Nothing runs without /proc, and this is not reported as a success.
    let run = try await place.shell(
      "\(hidden) penstock run --quiet p.yaml; code=$?; test -e ran && echo ran; exit $code")
    #expect(!run.output.contains("ran"), "\(run.text)")
    #expect(run.code == 3)
    #expect(run.errors.contains("/proc is not mounted"), "\(run.text)")
  }
}
