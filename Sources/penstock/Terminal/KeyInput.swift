import CProcess
import Glibc

/// Single keys from standard input, for as long as somebody is asked something.
///
/// While it is open, keys that send signals do so as ever. Used by one thread.
final class KeyInput {
  /// What a person has typed in one go.
  enum Key: Equatable {
    case yes, no
  }

  private var isOpen = false
  /// Whether nothing more will come: the terminal has gone.
  private var isGone = false

  /// Nil where standard input is no terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
  }

  deinit { close() }

  /// The descriptor to wait for; nil while it is closed.
  var descriptor: Int32? { isOpen ? STDIN_FILENO : nil }

  /// Whether keys can be read at the moment: the terminal belongs to this job.
  var isAvailable: Bool { !isGone && ForegroundTerminal.isOurs(STDIN_FILENO) }

  /// Begins to read keys; what was typed before is dropped. Returns whether they are read.
  func open() -> Bool {
    guard isAvailable else {
      close()
      return false
    }
    if !isOpen { isOpen = penstock_begin_keys(STDIN_FILENO) == 0 }
    return isOpen
  }

  /// Leaves the terminal as it was.
  func close() {
    guard isOpen else { return }
    isOpen = false
    penstock_end_keys()
  }

  /// What was typed; nil for anything but an answer. To be called when the descriptor is readable.
  func read() -> Key? {
    guard isOpen, isAvailable else {
      close()
      return nil
    }
    var typed = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(STDIN_FILENO, &typed, typed.count)
    guard count > 0 else {
      if count == 0 || errno != EINTR && errno != EAGAIN {
        isGone = true
        close()
      }
      return nil
    }
    return Self.key(typed[..<count])
  }

  /// An answer is one key alone, with or without the end of a line: text that was pasted and the sequences of special keys are none, whatever is in them.
  static func key(_ typed: ArraySlice<UInt8>) -> Key? {
    var typed = typed
    if typed.count == 2, typed.last == 0x0A || typed.last == 0x0D { typed.removeLast() }
    guard typed.count == 1 else { return nil }
    switch typed.first {
    case UInt8(ascii: "y"), UInt8(ascii: "Y"): return .yes
    case UInt8(ascii: "n"), UInt8(ascii: "N"): return .no
    default: return nil
    }
  }
}
