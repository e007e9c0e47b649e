import CPluginKit

/// Instants for which a controller will not request a run.
public enum LeftOutInstants: Sendable, Hashable {
  /// Each of them, in order: at most ``most``.
  case each([Timestamp])
  /// This many, from the first to the last one, if there are too many to list.
  case range(first: Timestamp, last: Timestamp, count: Int)

  /// The maximum number that can be listed at once.
  public static let most = Int(PENSTOCK_MOST_INSTANTS)
}

/// Why a controller leaves instants out; it may define its own reasons.
public struct LeftOutReason: RawRepresentable, Sendable, Hashable {
  /// `[a-z][a-z0-9-]*`, at most 64 characters.
  public var rawValue: String

  /// Creates a reason of the plugin.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// No host was running, or the computer was asleep, at the instant.
  public static let hostDown = LeftOutReason(rawValue: "host-down")
  /// More instants were missed than are caught up on.
  public static let catchUpLimit = LeftOutReason(rawValue: "catch-up-limit")
  /// The instant was noticed too late.
  public static let tooLate = LeftOutReason(rawValue: "too-late")
}

extension OperationControls {
  /// Reports instants for which there will be no run, so that a host can account for them. Nothing is run.
  ///
  /// Report them in chronological order, before later reruns, and before storing what the plugin remembers of them.
  ///
  /// - Parameters:
  ///   - instants: The instants. An empty list reports nothing.
  ///   - reason: The reason.
  /// - Returns: Whether the host keeps the report; ``Delivery/refused`` also if the host is older than this function, or is not a plugin host.
  @discardableResult
  public func leaveOut(_ instants: LeftOutInstants, because reason: LeftOutReason) -> Delivery {
    var members: JSONMembers = ["reason": .string(reason.rawValue)]
    switch instants {
    case .each(let instants):
      guard !instants.isEmpty else { return .kept }
      members["instants"] = .array(instants.map { .string($0.notation) })
    case .range(let first, let last, let count):
      members["first"] = .string(first.notation)
      members["last"] = .string(last.notation)
      members["count"] = .int(Int64(count))
    }
    return context.leftOutTeller.map { Delivery($0(.object(members))) } ?? .refused
  }
}
