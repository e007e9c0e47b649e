import PluginABI
import Values

/// A question for the coming instants of a controller or a specification: see penstock.instants/1 in `plugin.h`.
package struct InstantsQuestion: Sendable, Hashable {
  /// The maximum number of instants in one answer.
  package static let most = Int(PENSTOCK_MOST_INSTANTS)

  /// The input that `start` would receive.
  package var input: JSONValue
  /// The exclusive lower bound, in nanoseconds since 1970.
  package var after: Int64
  /// The inclusive upper bound, in nanoseconds since 1970.
  package var until: Int64
  /// The maximum number of instants to return, from 1 to ``most``; the earliest ones count.
  package var limit: Int

  package init(input: JSONValue = [:], after: Int64, until: Int64, limit: Int = Self.most) {
    self.input = input
    self.after = after
    self.until = until
    self.limit = min(max(limit, 1), Self.most)
  }
}

/// An instant at which a controller will request a run, at which a specification's value changes, or that a clock change skips.
package struct PlannedInstant: Sendable, Hashable {
  /// Microseconds since 1970.
  package var microseconds: Int64
  /// The local time in its zone, in the format of RFC 3339.
  package var localTime: String?
  /// A specification's value from then on; nil if it is unknown, and for controllers.
  package var value: Bool?
  /// Whether nothing happens at this instant because a clock change skips it.
  package var isSkipped = false
  /// A one-line note about times that are skipped or occur twice.
  package var note: String?

  package init(
    microseconds: Int64, localTime: String? = nil, value: Bool? = nil, isSkipped: Bool = false, note: String? = nil
  ) {
    self.microseconds = microseconds
    self.localTime = localTime
    self.value = value
    self.isSkipped = isSkipped
    self.note = note
  }
}

/// A plugin's answer to an ``InstantsQuestion``.
package struct PlannedInstants: Sendable, Hashable {
  /// The time zone of the instants.
  package var zone: String?
  /// The instants in ascending order, without duplicates.
  package var instants: [PlannedInstant] = []
  /// Whether there are more than the limit.
  package var hasMore = false

  package init(zone: String? = nil, instants: [PlannedInstant] = [], hasMore: Bool = false) {
    self.zone = zone
    self.instants = instants
    self.hasMore = hasMore
  }
}

// MARK: Answers of plugins

extension PlannedInstants {
  /// The reason why an answer is invalid.
  struct Problem: Error {
    /// A sentence without a subject, such as `has no list "instants"`.
    var reason: String
  }

  /// Reads and validates a plugin's answer, which is not trusted.
  init(_ json: JSONValue, to question: InstantsQuestion, kind: PluginOffer.Kind) throws(Problem) {
    guard let list = json["instants"]?.arrayValue else { throw Problem(reason: "has no list \"instants\"") }
    guard list.count <= question.limit else {
      throw Problem(reason: "has \(list.count) instants, but at most \(question.limit) were requested")
    }
    self.init(zone: try Self.line(json, "zone"))
    hasMore = try Self.flag(json, "more")
    var last: Int64?
    for element in list {
      let instant = try Self.instant(element, kind)
      // The question has nanoseconds, but timestamps may have fewer digits.
      guard instant.microseconds > question.after / 1000, instant.microseconds <= question.until / 1000 else {
        throw Problem(
          reason: "has the instant \(element["instant"]?.text ?? ""), which is outside the requested range")
      }
      if let last, instant.microseconds <= last {
        throw Problem(reason: "has the instant \(element["instant"]?.text ?? "") after one that is not before it")
      }
      last = instant.microseconds
      instants.append(instant)
    }
    if hasMore, instants.isEmpty { throw Problem(reason: "says that there are more instants, but has none") }
  }

  private static func instant(_ json: JSONValue, _ kind: PluginOffer.Kind) throws(Problem) -> PlannedInstant {
    guard let microseconds = json["instant"]?.stringValue.flatMap(InstantText.microseconds(of:)) else {
      throw Problem(reason: "has an element without a timestamp as its \"instant\"")
    }
    var instant = PlannedInstant(microseconds: microseconds)
    instant.localTime = try line(json, "local_time")
    instant.note = try line(json, "note")
    instant.isSkipped = try flag(json, "skipped")
    if kind == .specification {
      switch json["value"] {
      case .bool(let value)?: instant.value = value
      case .null?: break
      default: throw Problem(reason: "has an element whose \"value\" is not true, false or null")
      }
    }
    return instant
  }

  private static func line(_ json: JSONValue, _ member: String) throws(Problem) -> String? {
    guard let value = json[member], !value.isNull else { return nil }
    guard let text = value.stringValue, text.utf8.count <= 1024, !text.unicodeScalars.contains(where: { $0.value < 32 })
    else { throw Problem(reason: "has a \"\(member)\" that is not one line of at most 1,024 bytes") }
    return text
  }

  private static func flag(_ json: JSONValue, _ member: String) throws(Problem) -> Bool {
    switch json[member] {
    case nil: return false
    case .bool(let value)?: return value
    default: throw Problem(reason: "has a \"\(member)\" that is not true or false")
    }
  }
}

extension PluginConnection {
  /// Returns the instants in an interval, as far as the plugin knows them. An instance is created, asked and destroyed, but never started.
  ///
  /// The calling thread waits: see ``check(_:settings:)``.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's controllers or specifications.
  ///   - settings: An object with checked settings, including defaults.
  ///   - question: The interval and the maximum number.
  /// - Returns: The answer; nil if the instants cannot be known: the plugin's version of the contract lacks the question, or it does not know them
  ///   for these settings.
  /// - Throws: A failure if the plugin rejects the settings or gives an invalid answer.
  package func instants(
    of offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion
  ) throws(PluginFailure) -> PlannedInstants? {
    guard offer.kind != .operation else { return nil }
    guard let json = try ask(offer, settings: settings, question) else { return nil }
    do throws(PlannedInstants.Problem) {
      return try PlannedInstants(json, to: question, kind: offer.kind)
    } catch {
      throw PluginFailure(
        code: .malformed,
        message:
          "\(offer.kind.rawValue) '\(offer.id)' of plugin '\(description.id)' gave an answer about its instants that "
          + error.reason)
    }
  }
}
