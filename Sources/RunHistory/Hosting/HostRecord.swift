import Values
import Workspace

/// A process that serves a workspace, or served it.
public struct HostRecord: Sendable, Hashable {
  /// The progress of a host.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It handles what former hosts have left.
    case starting
    /// It begins runs.
    case ready
    /// It begins nothing more, and waits for active runs.
    case draining
    /// It has ended.
    case stopped
    /// Its process no longer exists, and did not record its end: it crashed, was killed, or had no room to write.
    case died
  }

  /// The number of its row.
  public var number: Int64 = 0
  /// The process.
  public var owner: ProcessIdentity
  /// The name of the computer.
  public var host: String
  /// The login name.
  public var user: String
  /// The version of Penstock.
  public var version: String
  /// The state; readers see ``State/died`` if its process no longer exists.
  public var state = State.starting
  /// When it started.
  public var startedAt: RecordTime
  /// When it was ready.
  public var readyAt: RecordTime?
  /// When it ended.
  public var endedAt: RecordTime?
  /// Its configuration, as a JSON object.
  public var configuration: String

  /// Creates the record of a host that is starting.
  public init(
    owner: ProcessIdentity = .current, host: String, user: String, version: String, startedAt: RecordTime,
    configuration: String
  ) {
    self.owner = owner
    self.host = host
    self.user = user
    self.version = version
    self.startedAt = startedAt
    self.configuration = configuration
  }

  /// The command that starts the same host again from any directory; plain `penstock serve` where the record does not say.
  package var command: String { (try? JSONValue.parse(configuration))?["command"]?.stringValue ?? Self.plainCommand }

  /// The command that starts a host of which nothing is known.
  package static let plainCommand = "penstock serve"

  /// The name of the lease that the host of a workspace holds.
  package static let lease = "host"
}

/// A person's request to the host of a workspace.
public enum HostRequest: String, Sendable, Hashable, CaseIterable {
  /// Read its configuration and its pipelines again.
  case reload
  /// Begin nothing more, and end when active runs have ended.
  case drain
  /// Begin nothing more, and cancel active runs; if they are already being cancelled, kill them.
  case drainNow = "drain-now"
  /// Resume an interrupted run.
  case resume
}

extension HostRequest {
  /// The action recorded in the audit.
  var action: AuditEntry.Action { self == .drainNow ? .drain : AuditEntry.Action(rawValue: rawValue) }

  /// The detail recorded in the audit.
  var detail: String? { self == .drainNow ? "now, which cancels active runs" : nil }
}

/// A request to the host of a workspace.
package struct AskedOfHost: Sendable, Hashable {
  /// The number of its row.
  package var number: Int64
  package var request: HostRequest
  /// The login name of the requester; nil if unknown.
  package var who: String?
  /// The run that it concerns.
  package var run: RunID?
}
