/// A span of time for which a controller or a specification is asked for its instants, and the maximum number of them.
public struct PlannedSpan: Sendable, Hashable {
  /// The exclusive lower bound.
  public var after: Timestamp
  /// The inclusive upper bound.
  public var until: Timestamp
  /// The maximum number of instants, from 1 to 10,000; the earliest ones count.
  public var limit: Int

  /// Creates a span of time.
  public init(after: Timestamp, until: Timestamp, limit: Int = 10_000) {
    self.after = after
    self.until = until
    self.limit = limit
  }
}

/// An instant at which a controller will request a run, or at which a specification's value changes.
public struct PlannedInstant: Sendable, Hashable {
  /// The instant.
  public var instant: Timestamp
  /// The local time in its zone, such as `2026-03-29T03:30:00+02:00`; nil if not applicable.
  public var localTime: String?
  /// A specification's value from then on; nil if it is unknown. Unused for controllers.
  public var value: Bool?
  /// Whether nothing happens at this instant because a clock change skips it.
  public var isSkipped: Bool
  /// A one-line note about times that are skipped or occur twice.
  public var note: String?

  /// Creates an instant.
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

/// The instants in a ``PlannedSpan``.
public struct PlannedInstants: Sendable, Hashable {
  /// The time zone of the instants; nil if not applicable.
  public var zone: String?
  /// The instants in ascending order, without duplicates, and no more than the limit.
  public var instants: [PlannedInstant]
  /// Whether there are more than the limit.
  public var hasMore: Bool

  /// Creates an answer from its instants.
  public init(zone: String? = nil, _ instants: [PlannedInstant], hasMore: Bool = false) {
    self.zone = zone
    self.instants = instants
    self.hasMore = hasMore
  }

  /// Returns the answer in the contract's format.
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

/// A controller that knows in advance for which instants it will request runs, such as one with a schedule.
///
/// `penstock schedule plan` shows them. A controller need not conform.
public protocol PredictableController: OperationController {
  /// Returns the instants in `span`. It must have no effect, may take up to one second, and must depend only on the settings: the controller may
  /// never be started.
  ///
  /// - Parameters:
  ///   - span: The span of time and the maximum number.
  ///   - input: The input that the controller would be started with.
  /// - Returns: The instants, or nil if they cannot be known.
  /// - Throws: Any error that prevents an answer; the host is notified that there is none.
  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants?
}

/// A specification that knows in advance when its value changes, such as one of the time of day.
public protocol PredictableSpecification: OperationRunSpecification {
  /// Returns the instants in `span` at which its value changes: see ``PredictableController/instants(in:input:)``.
  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants?
}
