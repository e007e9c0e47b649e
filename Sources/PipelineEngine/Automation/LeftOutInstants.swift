import PluginHost
import RunHistory

/// Instants for which a controller asks for no run, and why.
///
/// Told in the order of time, and before what the controller remembers of them is written: a host that records them before it settles the event loses
/// none of them. A controller may tell an instant again after a restart.
public struct LeftOutInstants: Sendable, Hashable {
  /// More instants than the controller names.
  public struct Range: Sendable, Hashable {
    /// The first of them.
    public var first: RecordTime
    /// The last of them.
    public var last: RecordTime
    /// How many there are, with these two.
    public var count: Int64
  }

  /// Such as `host-down` or `catch-up-limit`: of the form `[a-z][a-z0-9-]*`, at most 64 characters.
  public var reason: String
  /// Each of them, at most 10,000; empty where there is a range.
  public var instants: [RecordTime]
  /// A range of them; nil where each is named.
  public var range: Range?

  init(_ told: PluginLeftOut) {
    reason = told.reason
    instants = told.instants.map(RecordTime.init(microseconds:))
    range = told.range.map {
      Range(first: RecordTime(microseconds: $0.first), last: RecordTime(microseconds: $0.last), count: $0.count)
    }
  }
}
