import Foundation
import Testing

@testable import PluginHost

@Suite("A host that is killed")
struct DyingHostTests {
  /// An operation that reports its process, and then does what its input says.
  private static let tells = TestPlugin.Source(id: "dies") {
    $0.preamble = """
      #include <stdio.h>
      #include <signal.h>
      #include <unistd.h>
      """
    $0.start = """
      char text[60];
      int length = snprintf(text, sizeof text, "{\\"message\\":\\"%d\\"}", (int)getpid());
      for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
      instances->progress(host, me->id, (penstock_text){text, (size_t)length});
      if (says(input, "hang")) for (;;) pause();
      if (says(input, "tell")) for (;;) instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
      """
  }

  @Test("leaves no child, whatever that is doing", arguments: ["wait", "hang", "tell"])
  func killed(doing: String) throws {
    let host = try TestProcess([IsolatedTestPlugin.program, "dies", try TestPlugin.compile(Self.tells), doing])
    let pid = try #require(Int32(host.line()))
    #expect(Self.runs(pid))
    host.end()
    while Self.runs(pid) { sched_yield() }
  }

  /// Whether the process exists and has not ended. There may be no parent that reaps it.
  private static func runs(_ pid: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let state = status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first
    else { return false }
    return state != "Z" && state != "X"
  }
}
