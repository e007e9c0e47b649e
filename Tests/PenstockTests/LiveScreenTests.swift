import Testing

@testable import penstock

@Suite("The live screen")
struct LiveScreenTests {
  @Test("unchanged lines are not written again")
  func unchanged() {
    var screen = LiveScreen()
    #expect(!screen.frame(["a", "b"]).isEmpty)
    #expect(screen.frame(["a", "b"]).isEmpty)
  }

  @Test("a frame overwrites the previous one, and erases the rest of it")
  func shorter() {
    var screen = LiveScreen()
    _ = screen.frame(["a", "b", "c"])
    let next = screen.frame(["d"])
    #expect(next == "\u{1B}[?2026h\r\u{1B}[3Ad\u{1B}[K\n\u{1B}[J\u{1B}[?2026l")
  }

  @Test("erasing restores the cursor, once")
  func erase() {
    var screen = LiveScreen()
    _ = screen.frame(["a"])
    #expect(screen.erase() == "\r\u{1B}[1A\u{1B}[J\u{1B}[?25h")
    #expect(screen.erase().isEmpty)
  }

  @Test("a screen that other processes write to is left unchanged except for the cursor, and redrawn below")
  func abandon() {
    var screen = LiveScreen()
    _ = screen.frame(["a", "b"])
    #expect(screen.abandon() == "\u{1B}[?25h")
    #expect(screen.abandon().isEmpty)
    #expect(screen.frame(["a"]) == "\u{1B}[?2026h\u{1B}[?25l\ra\u{1B}[K\n\u{1B}[?2026l")
  }

  @Test("lines that a narrower terminal has wrapped are overwritten, too")
  func narrower() {
    var screen = LiveScreen()
    _ = screen.frame(["\u{1B}[1m12345678\u{1B}[0m", "1"])
    screen.resize(from: 10, to: 4)
    #expect(screen.frame(["x"]).hasPrefix("\u{1B}[?2026h\r\u{1B}[3Ax"))
  }
}
