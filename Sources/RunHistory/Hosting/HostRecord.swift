import Values
import Workspace

/// A process that serves a workspace, or served it.
public struct HostRecord: Sendable, Hashable {
  /// How far it has come.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It deals with what former hosts have left.
    case starting
    /// It begins runs.
    case ready
    /// It begins nothing any more, and waits for what goes on.
    case draining
    /// It has ended.
    case stopped
    /// Its process is gone, and has not recorded its end: it crashed, was killed, or had no room to write.
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
  /// How far it has come; readers say ``State/died`` when its process is gone.
  public var state = State.starting
  /// When it began.
  public var startedAt: RecordTime
  /// When it was ready.
  public var readyAt: RecordTime?
  /// When it ended.
  public var endedAt: RecordTime?
  /// Its configuration, as a JSON object.
  public var configuration: String

  /// Creates the record of a host that starts.
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

/// What a person asks of the host of a workspace.
public enum HostRequest: String, Sendable, Hashable, CaseIterable {
  /// To read its configuration and its pipelines anew.
  case reload
  /// To begin nothing any more, and to end when what goes on has ended.
  case drain
  /// To begin nothing any more, and to cancel what goes on; one that does so already gives it no grace.
  case drainNow = "drain-now"
  /// To resume an interrupted run.
  case resume
}

extension HostRequest {
  /// What is recorded in the audit of who has asked.
  var action: AuditEntry.Action { self == .drainNow ? .drain : AuditEntry.Action(rawValue: rawValue) }

  /// Its particulars there.
  var detail: String? { self == .drainNow ? "now, which cancels what goes on" : nil }
}

/// Something that was asked of the host of a workspace.
package struct AskedOfHost: Sendable, Hashable {
  /// The number of its row.
  package var number: Int64
  package var request: HostRequest
  /// The login name of who asked; nil where nobody knows.
  package var who: String?
  /// The run that it is about.
  package var run: RunID?
}
