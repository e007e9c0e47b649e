import CPluginKit

/// Instants for which a controller will not ask for a run.
public enum LeftOutInstants: Sendable, Hashable {
  /// Each of them, in their order: at most ``most``.
  case each([Timestamp])
  /// So many, from the first to the last one: where there are too many to name.
  case range(first: Timestamp, last: Timestamp, count: Int)

  /// How many can be named at once.
  public static let most = Int(PENSTOCK_MOST_INSTANTS)
}

/// Why a controller leaves instants out; a code of its own is as good.
public struct LeftOutReason: RawRepresentable, Sendable, Hashable {
  /// `[a-z][a-z0-9-]*`, at most 64 characters.
  public var rawValue: String

  /// A reason of the plugin's own.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// No host ran, or the computer slept, when the instant came.
  public static let hostDown = LeftOutReason(rawValue: "host-down")
  /// More were missed than are made up for.
  public static let catchUpLimit = LeftOutReason(rawValue: "catch-up-limit")
  /// It was noticed too late.
  public static let tooLate = LeftOutReason(rawValue: "too-late")
}

extension OperationControls {
  /// Tells of instants for which there will be no run, so that a host can account for them. Nothing is run.
  ///
  /// Tell them in the order of time, before the reruns that come after them, and before what is remembered of them.
  ///
  /// - Parameters:
  ///   - instants: Which ones. A list that is empty tells nothing.
  ///   - reason: Why.
  /// - Returns: Whether the host has heard it: ``Delivery/refused`` also where it is older than this, or is no host of plugins.
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
