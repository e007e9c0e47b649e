import PluginABI
import Values

/// Which instants of a controller or a specification are asked for: see penstock.instants/1 in `plugin.h`.
package struct InstantsQuestion: Sendable, Hashable {
  /// The most that one answer may have.
  package static let most = Int(PENSTOCK_MOST_INSTANTS)

  /// What `start` would be given.
  package var input: JSONValue
  /// Those after it, in nanoseconds since 1970.
  package var after: Int64
  /// Those not after it.
  package var until: Int64
  /// The earliest so many; from 1 to ``most``.
  package var limit: Int

  package init(input: JSONValue = [:], after: Int64, until: Int64, limit: Int = Self.most) {
    self.input = input
    self.after = after
    self.until = until
    self.limit = min(max(limit, 1), Self.most)
  }
}

/// One instant that a controller will ask for, at which a specification's value changes, or that a change of the clocks takes away.
package struct PlannedInstant: Sendable, Hashable {
  /// Microseconds since 1970.
  package var microseconds: Int64
  /// What the clocks of its zone show then, as RFC 3339 writes it.
  package var localTime: String?
  /// A specification's value from then on; nil where it is unknown, and for controllers.
  package var value: Bool?
  /// Whether nothing happens then: a change of the clocks takes away what would have.
  package var isSkipped = false
  /// Which times are skipped or come twice, in one line.
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
  /// Whose clocks they go by.
  package var zone: String?
  /// In their order, no two alike.
  package var instants: [PlannedInstant] = []
  /// Whether there are more than were asked for.
  package var hasMore = false

  package init(zone: String? = nil, instants: [PlannedInstant] = [], hasMore: Bool = false) {
    self.zone = zone
    self.instants = instants
    self.hasMore = hasMore
  }
}

// MARK: Answers of plugins

extension PlannedInstants {
  /// What is wrong with an answer.
  struct Problem: Error {
    /// A sentence without its subject, such as `has no list "instants"`.
    var reason: String
  }

  /// What a plugin has answered, which is not believed to be right.
  init(_ json: JSONValue, to question: InstantsQuestion, kind: PluginOffer.Kind) throws(Problem) {
    guard let list = json["instants"]?.arrayValue else { throw Problem(reason: "has no list \"instants\"") }
    guard list.count <= question.limit else {
      throw Problem(reason: "has \(list.count) instants where at most \(question.limit) were asked for")
    }
    self.init(zone: try Self.line(json, "zone"))
    hasMore = try Self.flag(json, "more")
    var last: Int64?
    for element in list {
      let instant = try Self.instant(element, kind)
      // The question has nanoseconds, and texts may have fewer digits.
      guard instant.microseconds > question.after / 1000, instant.microseconds <= question.until / 1000 else {
        throw Problem(
          reason: "has the instant \(element["instant"]?.text ?? ""), which is not between those asked about")
      }
      if let last, instant.microseconds <= last {
        throw Problem(reason: "has the instant \(element["instant"]?.text ?? "") after one that is not before it")
      }
      last = instant.microseconds
      instants.append(instant)
    }
    if hasMore, instants.isEmpty { throw Problem(reason: "says that there are more, and has none") }
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
  /// Which instants come between two, as far as the plugin knows them: an instance is created, asked and destroyed, never started.
  ///
  /// The calling thread waits: see ``check(_:settings:)``.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's controllers or specifications.
  ///   - settings: An object, checked and with defaults.
  ///   - question: Which instants.
  /// - Returns: Nil where nobody can know them: the plugin is older than the question, or does not know them for these settings.
  /// - Throws: That it does not take the settings, or did not answer as it must.
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
