import ArgumentParser
import Glibc

/// When to use colors.
///
/// The parser's requirements are implemented explicitly: its defaults for enumerations with raw values look up protocols at run time, at the start of every
/// command.
enum ColorChoice: ExpressibleByArgument {
  case auto, always, never

  static let allValueStrings = ["auto", "always", "never"]
  static let defaultCompletionKind = CompletionKind.list(allValueStrings)

  init?(argument: String) {
    switch argument {
    case "auto": self = .auto
    case "always": self = .always
    case "never": self = .never
    default: return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .auto: "auto"
    case .always: "always"
    case .never: "never"
    }
  }
}

/// Applies colors if they are enabled.
struct Style {
  enum Paint: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
    case boldRed = "1;31"
  }

  var isColored: Bool
  /// Whether the locale allows characters beyond ASCII.
  var isUnicode: Bool

  static let plain = Style(isColored: false, isUnicode: true)

  /// Creates the style for output to `output`.
  init(_ choice: ColorChoice, for output: TextOutput) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    // https://no-color.org: any value but the empty one.
    case .auto: isColored = output.isTerminal && Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb"
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Environment[$0] }.first?.lowercased()
    // Without a locale, current terminals still use UTF-8; a locale that names another encoding is respected.
    isUnicode = locale.map { name in name.utf8.indices.contains { name.utf8[$0...].starts(with: "utf".utf8) } } ?? true
  }

  init(isColored: Bool, isUnicode: Bool) {
    self.isColored = isColored
    self.isUnicode = isUnicode
  }

  func paint(_ text: String, _ paint: Paint?) -> String {
    guard isColored, let paint, !text.isEmpty else { return text }
    return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
  }
}

/// The environment of this process.
enum Environment {
  /// The value of a variable; nil if it is unset or empty.
  static subscript(name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
