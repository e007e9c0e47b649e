import Workspace

/// A request to the host of a workspace.
struct StoredHostRequest: Storable {
  var number: Int64
  var kind: String
  var who: String?
  var requestedAt: Int64
  var takenAt: Int64?
  /// The id of the run that it concerns; nil if it concerns the host.
  var run: String?
  /// Why it failed; nil if it succeeded, or is still pending.
  var failure: String?

  static let number = Field("number", \StoredHostRequest.number)
  static let kind = Field("kind", \StoredHostRequest.kind)
  static let who = Field("who", \StoredHostRequest.who)
  static let requestedAt = Field("requested_at", \StoredHostRequest.requestedAt)
  static let takenAt = Field("taken_at", \StoredHostRequest.takenAt)
  static let run = Field("run", \StoredHostRequest.run)
  static let failure = Field("failure", \StoredHostRequest.failure)
  static let schema = ObjectSchema(
    "host_request", StoredHostRequest.init, number, kind, who, requestedAt, takenAt, run, failure, key: number)
}
