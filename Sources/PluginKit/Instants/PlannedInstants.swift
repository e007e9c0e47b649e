/// Which instants a controller or a specification is asked for: those after one and not after another, the earliest so many.
public struct PlannedSpan: Sendable, Hashable {
  /// Those after it.
  public var after: Timestamp
  /// Those not after it.
  public var until: Timestamp
  /// The earliest so many; from 1 to 10,000.
  public var limit: Int

  /// A span of time.
  public init(after: Timestamp, until: Timestamp, limit: Int = 10_000) {
    self.after = after
    self.until = until
    self.limit = limit
  }
}

/// One instant that a controller will ask for, or at which a specification's value changes.
public struct PlannedInstant: Sendable, Hashable {
  /// When it is.
  public var instant: Timestamp
  /// What the clocks of its zone show then, such as `2026-03-29T03:30:00+02:00`; nil where that says nothing.
  public var localTime: String?
  /// A specification's value from then on; nil where it is unknown. Without meaning for controllers.
  public var value: Bool?
  /// Whether nothing happens then: a change of the clocks takes away what would have.
  public var isSkipped: Bool
  /// Which times are skipped or come twice, in one line.
  public var note: String?

  /// An instant.
  public init(
    _ instant: Timestamp, localTime: String? = nil, value: Bool? = nil, isSkipped: Bool = false, note: String? = nil
  ) {
    self.instant = instant
    self.localTime = localTime
    self.value = value
    self.isSkipped = isSkipped
    self.note = note
  }
}

/// What comes in a ``PlannedSpan``.
public struct PlannedInstants: Sendable, Hashable {
  /// Whose clocks they go by; nil where that says nothing.
  public var zone: String?
  /// In their order, no two alike, and not more than were asked for.
  public var instants: [PlannedInstant]
  /// Whether there are more than were asked for.
  public var hasMore: Bool

  /// Some instants.
  public init(zone: String? = nil, _ instants: [PlannedInstant], hasMore: Bool = false) {
    self.zone = zone
    self.instants = instants
    self.hasMore = hasMore
  }

  /// As the contract has it.
  func json(withValues: Bool) -> JSONValue {
    var members: JSONMembers = [:]
    members["zone"] = zone.map { .string($0) }
    members["instants"] = .array(
      instants.map { planned in
        var element: JSONMembers = ["instant": .string(planned.instant.notation)]
        element["local_time"] = planned.localTime.map { .string($0) }
        if withValues { element["value"] = planned.value.map { .bool($0) } ?? .null }
        if planned.isSkipped { element["skipped"] = true }
        element["note"] = planned.note.map { .string($0) }
        return .object(element)
      })
    if hasMore { members["more"] = true }
    return .object(members)
  }
}

/// A controller that knows beforehand which instants it will ask for, as one with a schedule does.
///
/// `penstock schedule plan` shows them. A controller that tells nobody works as well.
public protocol PredictableController: OperationController {
  /// The instants in `span`. Has no effect, may take up to a second, and depends on nothing but the settings: the controller may never be started.
  ///
  /// - Parameters:
  ///   - span: Which ones.
  ///   - input: What the controller would be started with.
  /// - Returns: Nil where nobody can know them.
  /// - Throws: Whatever keeps it from answering; the host is told that it could not.
  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants?
}

/// A specification that knows beforehand when its value changes, as one of the time of the day does.
public protocol PredictableSpecification: OperationRunSpecification {
  /// The instants in `span` at which its value changes: see ``PredictableController/instants(in:input:)``.
  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants?
}
