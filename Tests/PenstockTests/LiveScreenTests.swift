import Testing

@testable import penstock

@Suite("The live screen")
struct LiveScreenTests {
  @Test("the same lines are not written again")
  func unchanged() {
    var screen = LiveScreen()
    #expect(!screen.frame(["a", "b"]).isEmpty)
    #expect(screen.frame(["a", "b"]).isEmpty)
  }

  @Test("a frame goes back over the former one, and erases what is left of it")
  func shorter() {
    var screen = LiveScreen()
    _ = screen.frame(["a", "b", "c"])
    let next = screen.frame(["d"])
    #expect(next == "\u{1B}[?2026h\r\u{1B}[3Ad\u{1B}[K\n\u{1B}[J\u{1B}[?2026l")
  }

  @Test("erasing shows the cursor again, once")
  func erase() {
    var screen = LiveScreen()
    _ = screen.frame(["a"])
    #expect(screen.erase() == "\r\u{1B}[1A\u{1B}[J\u{1B}[?25h")
    #expect(screen.erase().isEmpty)
  }

  @Test("a screen that others write to is left as it is, but for the cursor, and begun anew below")
  func abandon() {
    var screen = LiveScreen()
    _ = screen.frame(["a", "b"])
    #expect(screen.abandon() == "\u{1B}[?25h")
    #expect(screen.abandon().isEmpty)
    #expect(screen.frame(["a"]) == "\u{1B}[?2026h\u{1B}[?25l\ra\u{1B}[K\n\u{1B}[?2026l")
  }

  @Test("lines that a narrower terminal has wrapped are gone over, too")
  func narrower() {
    var screen = LiveScreen()
    _ = screen.frame(["\u{1B}[1m12345678\u{1B}[0m", "1"])
    screen.resize(from: 10, to: 4)
    #expect(screen.frame(["x"]).hasPrefix("\u{1B}[?2026h\r\u{1B}[3Ax"))
  }
}
