import PluginABI
import Values

/// Instants for which a controller will not request a run, and the reason: see `left_out` in `plugin.h`.
package struct PluginLeftOut: Sendable, Hashable {
  /// A range of instants, for more than a message can list.
  package struct Range: Sendable, Hashable {
    /// Microseconds since 1970, as for all instants here.
    package var first: Int64
    package var last: Int64
    package var count: Int64
  }

  /// The reason why a message is invalid.
  struct Problem: Error {
    var member: String
    var reason: String
  }

  /// The maximum number of instants in one message.
  package static let mostInstants = Int(PENSTOCK_MOST_INSTANTS)

  /// Why they are left out, such as `host-down`.
  package var reason: String
  /// Microseconds since 1970.
  package var instants: [Int64] = []
  package var range: Range?

  /// The number of a controller's signals that it counts as: see ``WaitingSignals``.
  package var weight: Int { max(instants.count, 1) }

  /// Reads a plugin's message, which is not trusted; nil if it is invalid.
  package init?(_ json: JSONValue) {
    guard let read = try? Self.read(json) else { return nil }
    self = read
  }

  private init(reason: String, instants: [Int64], range: Range?) {
    self.reason = reason
    self.instants = instants
    self.range = range
  }

  static func read(_ json: JSONValue) throws(Problem) -> PluginLeftOut {
    guard let reason = json["reason"]?.stringValue, isReason(reason) else {
      throw Problem(member: "reason", reason: "it must have the form [a-z][a-z0-9-]* and at most 64 characters")
    }
    guard let listed = json["instants"] else {
      return PluginLeftOut(reason: reason, instants: [], range: try range(json))
    }
    guard let list = listed.arrayValue, !list.isEmpty, list.count <= mostInstants else {
      throw Problem(member: "instants", reason: "it must be a list of 1 to \(mostInstants) timestamps")
    }
    var instants: [Int64] = []
    instants.reserveCapacity(list.count)
    for element in list { instants.append(try instant(element, "instants")) }
    return PluginLeftOut(reason: reason, instants: instants, range: nil)
  }

  private static func range(_ json: JSONValue) throws(Problem) -> Range {
    let (first, last) = (try instant(json["first"], "first"), try instant(json["last"], "last"))
    guard first <= last else { throw Problem(member: "last", reason: "it is before \"first\"") }
    guard let count = json["count"]?.intValue, count > 0 else {
      throw Problem(member: "count", reason: "it must be a whole number greater than zero")
    }
    return Range(first: first, last: last, count: count)
  }

  private static func instant(_ json: JSONValue?, _ member: String) throws(Problem) -> Int64 {
    guard let instant = json?.stringValue.flatMap(InstantText.microseconds(of:)) else {
      throw Problem(member: member, reason: "\(json?.text.prefix(40) ?? "nothing") is not a timestamp")
    }
    return instant
  }

  private static func isReason(_ text: String) -> Bool {
    text.utf8.count <= 64
      && text.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): index > 0
        default: false
        }
      } && !text.isEmpty
  }
}

/// Instants in the contract's text format.
enum InstantText {
  /// Returns microseconds since 1970; nil if the text is not a timestamp.
  static func microseconds(of text: String) -> Int64? {
    TimestampNotation.parse(text).map { Int64(($0 * 1_000_000).rounded()) }
  }
}
