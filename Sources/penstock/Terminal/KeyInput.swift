import CProcess
import Glibc

/// Reads single keys from standard input while a question is shown.
///
/// While it is open, keys that send signals still do so. Used by one thread.
final class KeyInput {
  /// An answer typed as a key.
  enum Key: Equatable {
    case yes, no
  }

  private var isOpen = false
  /// Whether no more input will arrive, because the terminal has disappeared.
  private var isGone = false

  /// Returns nil if standard input is not a terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
  }

  deinit { close() }

  /// The descriptor to wait for; nil while it is closed.
  var descriptor: Int32? { isOpen ? STDIN_FILENO : nil }

  /// Whether keys can be read now: the terminal belongs to this job.
  var isAvailable: Bool { !isGone && ForegroundTerminal.isOurs(STDIN_FILENO) }

  /// Begins to read keys; discards earlier input. Returns whether keys are read.
  func open() -> Bool {
    guard isAvailable else {
      close()
      return false
    }
    if !isOpen { isOpen = penstock_begin_keys(STDIN_FILENO) == 0 }
    return isOpen
  }

  /// Restores the terminal.
  func close() {
    guard isOpen else { return }
    isOpen = false
    penstock_end_keys()
  }

  /// Returns the key that was typed; nil for anything but an answer. Must be called when the descriptor is readable.
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

  /// Returns the answer in the input, which must be a single key, optionally followed by a line ending: pasted text and the sequences of special keys are
  /// not answers.
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
