/// An error as the host gets it: what `retry.on` can name, what people read, and when to try again.
///
/// Throw it, or let errors of your own convert to it by ``PluginProblemConvertible``. Every other error arrives with the
/// code `plugin-error` and its description.
public struct PluginProblem: RetryHinting, Hashable, CustomStringConvertible {
  /// Which failure it is, for `retry.on` and the history: `[a-z][a-z0-9-]*`. Keep it the same between versions.
  public var code: String
  /// What happened, where, and what to do.
  public var message: String
  /// How long to wait before another attempt; nil leaves it to the pipeline.
  public var retryAfter: Duration?
  /// What else there is to know, for programs; nil for nothing.
  public var detail: JSONValue?

  /// A failure called `code`.
  public init(_ code: String, _ message: String, retryAfter: Duration? = nil, detail: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.detail = detail
  }

  /// A setting that is not taken: throw it from ``PluginSettings/validate()`` or from what makes the offer's instance.
  ///
  /// A host that checks a pipeline file points at the setting.
  ///
  /// - Parameters:
  ///   - code: Which failure it is.
  ///   - setting: The name of the setting, as it is in pipeline files; it is put before the message.
  ///   - message: What is wrong with its value.
  ///   - range: Which part of its text is meant, in Unicode scalars from 0; nil for all of it.
  public init(_ code: String, setting: String, _ message: String, range: Range<Int>? = nil) {
    var detail: JSONMembers = ["setting": .string(setting)]
    if let range {
      detail["position"] = .int(Int64(range.lowerBound + 1))
      detail["length"] = .int(Int64(range.count))
    }
    self.init(code, "\(setting): \(message)", detail: .object(detail))
  }

  /// Code and message in one line.
  public var description: String { "\(code): \(message)" }
}

/// An error that knows how it is told to the host.
public protocol PluginProblemConvertible: Error {
  /// The error as the host gets it.
  var pluginProblem: PluginProblem { get }
}

extension PluginProblem: PluginProblemConvertible {
  /// The problem itself.
  public var pluginProblem: PluginProblem { self }

  /// What the host is told of any error. Cancellation is `cancelled`; what neither converts itself nor is known here
  /// is `plugin-error`.
  init(_ error: any Error) {
    switch error {
    case let error as any PluginProblemConvertible: self = error.pluginProblem
    case is CancellationError: self.init("cancelled", "stopped, as the host asked")
    case let error as DecodingError: self.init("invalid-value", error.sentence)
    case let error as EncodingError: self.init("invalid-result", error.sentence)
    default: self.init("plugin-error", "\(error)", retryAfter: (error as? any RetryHinting)?.retryAfter)
    }
  }

  /// The problem as the contract writes it. A code that the contract does not allow becomes `plugin-error`, and is
  /// put before the message.
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
