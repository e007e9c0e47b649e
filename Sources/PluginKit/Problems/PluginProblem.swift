/// An error as the host receives it: a code for `retry.on`, a message for people, and when to retry.
///
/// Throw it, or let your own errors convert to it with ``PluginProblemConvertible``. Every other error arrives with the code `plugin-error` and its
/// description.
public struct PluginProblem: RetryHinting, Hashable, CustomStringConvertible {
  /// The kind of failure, for `retry.on` and the history: `[a-z][a-z0-9-]*`. Keep it the same between versions.
  public var code: String
  /// What happened, where, and what to do.
  public var message: String
  /// How long to wait before another attempt; nil leaves it to the pipeline.
  public var retryAfter: Duration?
  /// Further details for programs; nil for none.
  public var detail: JSONValue?

  /// Creates a failure with the code `code`.
  public init(_ code: String, _ message: String, retryAfter: Duration? = nil, detail: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.detail = detail
  }

  /// Creates the rejection of a setting: throw it from ``PluginSettings/validate()`` or from the function that creates the offer's instance.
  ///
  /// When checking a pipeline file, a host points at the setting.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - setting: The name of the setting, as in pipeline files; it precedes the message.
  ///   - message: What is wrong with its value.
  ///   - range: The relevant part of its text, in Unicode scalars from 0; nil for the whole text.
  public init(_ code: String, setting: String, _ message: String, range: Range<Int>? = nil) {
    var detail: JSONMembers = ["setting": .string(setting)]
    if let range {
      detail["position"] = .int(Int64(range.lowerBound + 1))
      detail["length"] = .int(Int64(range.count))
    }
    self.init(code, "\(setting): \(message)", detail: .object(detail))
  }

  /// Code and message on one line.
  public var description: String { "\(code): \(message)" }
}

/// An error that converts itself for the host.
public protocol PluginProblemConvertible: Error {
  /// The error as the host receives it.
  var pluginProblem: PluginProblem { get }
}

extension PluginProblem: PluginProblemConvertible {
  /// The problem itself.
  public var pluginProblem: PluginProblem { self }

  /// Creates the problem for any error. Cancellation becomes `cancelled`; an error that does not convert itself and is not known here becomes `plugin-error`.
  init(_ error: any Error) {
    switch error {
    case let error as any PluginProblemConvertible: self = error.pluginProblem
    case is CancellationError: self.init("cancelled", "stopped at the host's request")
    case let error as DecodingError: self.init("invalid-value", error.sentence)
    case let error as EncodingError: self.init("invalid-result", error.sentence)
    default: self.init("plugin-error", "\(error)", retryAfter: (error as? any RetryHinting)?.retryAfter)
    }
  }

  /// The problem in the contract's format. A code that the contract does not allow is replaced by `plugin-error`, and precedes the message.
  var json: JSONValue {
    var members: [(String, JSONValue)] =
      Self.isCode(code)
      ? [("code", .string(code)), ("message", .string(message))]
      : [("code", "plugin-error"), ("message", .string("\(code): \(message)"))]
    if let retryAfter { members.append(("retry_after", .double(max(0, retryAfter / .seconds(1))))) }
    if let detail { members.append(("detail", detail)) }
    return .object(.init(uniqueKeysWithValues: members))
  }

  private static func isCode(_ text: String) -> Bool {
    text.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): index > 0
      default: false
      }
    } && !text.isEmpty
  }
}
