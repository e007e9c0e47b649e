import PluginABI
import Values

/// A call from a plugin about an instance.
enum Told {
  case complete, fail, progress, state, error, rerun, reset, leftOut
  case changed(Int32)

  /// The function's name.
  var name: String {
    switch self {
    case .complete: "complete"
    case .fail: "fail"
    case .progress: "progress"
    case .state: "yield_state"
    case .error: "yield_error"
    case .rerun: "yield_rerun"
    case .reset: "yield_reset"
    case .leftOut: "left_out"
    case .changed: "changed"
    }
  }

  var isEnd: Bool {
    switch self {
    case .complete, .fail: true
    default: false
    }
  }

  var isError: Bool {
    switch self {
    case .fail, .error: true
    default: false
    }
  }

  /// The kind of offer that may make the call; nil for any.
  var kind: PluginOffer.Kind? {
    switch self {
    case .complete, .fail: nil
    case .progress: .operation
    case .state, .error, .rerun, .reset, .leftOut: .controller
    case .changed: .specification
    }
  }
}

/// A text that a plugin passed, checked.
struct ToldText {
  /// The value, if the text is JSON and not empty.
  private(set) var value: JSONValue?
  /// What is wrong with it, as a phrase that follows "with".
  private(set) var problem: String?
  private(set) var isTooLarge = false
  private(set) var isEmpty = false
  private(set) var text = ""

  static let limit = 16 * 1024 * 1024

  init(_ text: penstock_text, isJSON: Bool = true) {
    guard text.length > 0 else {
      isEmpty = true
      return
    }
    guard text.length <= Self.limit else {
      problem = "\(text.length) bytes, which is more than 16 MiB"
      isTooLarge = true
      return
    }
    guard let bytes = text.bytes else {
      problem = "a length of \(text.length), and NULL for the bytes"
      return
    }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: text.length)
    guard let string = String(validating: buffer, as: UTF8.self) else {
      problem = "text that is not UTF-8"
      return
    }
    guard isJSON else {
      self.text = string
      return
    }
    do {
      value = try JSONValue.parse(buffer)
    } catch {
      problem = "text that is not JSON: \(String(string.prefix(40)))"
    }
  }
}
