import Foundation
import OperatingSystem
import Testing

@Suite("Process table", .timeLimit(.minutes(1)))
struct ProcessTableTests {
  @Test("a process in a loop of execs always has its environment entry, or may have it")
  func becomingAnother() throws {
    let script = NSTemporaryDirectory() + "penstock-exec-\(UUID().uuidString)"
    try #"exec /bin/sh "$0""#.write(toFile: script, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: script) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [script]
    process.environment = ["PENSTOCK_RUN_ID": "a-run"]
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    var looks: [ProcessTable.Mark: Int] = [:]
    for _ in 0..<20_000 {
      looks[ProcessTable.mark(Array("PENSTOCK_RUN_ID=a-run".utf8), of: process.processIdentifier), default: 0] += 1
    }
    #expect(looks[.absent, default: 0] == 0, "\(looks)")
    #expect(looks[.gone, default: 0] == 0, "\(looks)")
    #expect(looks[.present, default: 0] > 0, "\(looks)")
  }

  @Test("a process with an empty environment does not have the entry")
  func emptyEnvironment() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["-i", "/bin/sleep", "1000"]
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    // Until it has executed the program without an environment, it has that of the tests.
    while ProcessTable.environment(of: process.processIdentifier)?.isEmpty == false { sched_yield() }
    while ProcessTable.mark(Array("A=1".utf8), of: process.processIdentifier) == .undecided { sched_yield() }
    #expect(ProcessTable.mark(Array("A=1".utf8), of: process.processIdentifier) == .absent)
  }
}
