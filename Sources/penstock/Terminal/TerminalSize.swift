import Glibc

/// The size of a terminal.
struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int

  /// Returns the size of the terminal behind `descriptor`; if there is none, the width is `COLUMNS`, or `fallback`.
  static func current(of descriptor: Int32 = TextOutput.standard.descriptor, fallback: Int = 100) -> TerminalSize {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return TerminalSize(columns: Int(size.ws_col), rows: max(1, Int(size.ws_row)))
    }
    let columns = Environment["COLUMNS"].flatMap(Int.init) ?? fallback
    return TerminalSize(columns: max(20, columns), rows: 24)
  }
}
