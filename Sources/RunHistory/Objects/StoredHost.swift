import Workspace

/// A process that serves the workspace, or served it.
struct StoredHost: Storable {
  var number: Int64
  var boot: String
  var pid: Int64
  var processStarted: Int64
  var host: String
  var user: String
  var version: String
  var state: String
  var startedAt: Int64
  var readyAt: Int64?
  var endedAt: Int64?
  /// Its configuration, as JSON.
  var configuration: String

  static let number = Field("number", \StoredHost.number)
  static let boot = Field("boot", \StoredHost.boot)
  static let pid = Field("pid", \StoredHost.pid)
  static let processStarted = Field("process_started", \StoredHost.processStarted)
  static let host = Field("host", \StoredHost.host)
  static let user = Field("user", \StoredHost.user)
  static let version = Field("version", \StoredHost.version)
  static let state = Field("state", \StoredHost.state)
  static let startedAt = Field("started_at", \StoredHost.startedAt)
  static let readyAt = Field("ready_at", \StoredHost.readyAt)
  static let endedAt = Field("ended_at", \StoredHost.endedAt)
  static let configuration = Field("configuration", \StoredHost.configuration)
  static let schema = ObjectSchema(
    "host_record", StoredHost.init, number, boot, pid, processStarted, host, user, version, state, startedAt, readyAt,
    endedAt, configuration, key: number)
}
