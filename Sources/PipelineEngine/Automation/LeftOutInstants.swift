import PluginHost
import RunHistory

/// Instants for which a controller requests no run, and why.
///
/// Reported in chronological order, and before what the controller remembers of them is written: a host that records them before it settles the event
/// loses none of them. A controller may report an instant again after a restart.
public struct LeftOutInstants: Sendable, Hashable {
  /// A range of instants that are not listed individually.
  public struct Range: Sendable, Hashable {
    /// The first instant.
    public var first: RecordTime
    /// The last instant.
    public var last: RecordTime
    /// The number of instants, including these two.
    public var count: Int64
  }

  /// The reason, such as `host-down` or `catch-up-limit`: of the form `[a-z][a-z0-9-]*`, at most 64 characters.
  public var reason: String
  /// The individual instants, at most 10,000; empty if there is a range.
  public var instants: [RecordTime]
  /// A range of instants; nil if they are listed individually.
  public var range: Range?

  init(_ told: PluginLeftOut) {
    reason = told.reason
    instants = told.instants.map(RecordTime.init(microseconds:))
    range = told.range.map {
      Range(first: RecordTime(microseconds: $0.first), last: RecordTime(microseconds: $0.last), count: $0.count)
    }
  }
}
