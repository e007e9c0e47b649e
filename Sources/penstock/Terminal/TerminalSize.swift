import Glibc

/// How much a terminal shows.
struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int

  /// The size of the terminal behind `descriptor`; without one, `COLUMNS`, or `fallback` columns.
  static func current(of descriptor: Int32 = TextOutput.standard.descriptor, fallback: Int = 100) -> TerminalSize {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return TerminalSize(columns: Int(size.ws_col), rows: max(1, Int(size.ws_row)))
    }
    let columns = Environment["COLUMNS"].flatMap(Int.init) ?? fallback
    return TerminalSize(columns: max(20, columns), rows: 24)
  }
}
