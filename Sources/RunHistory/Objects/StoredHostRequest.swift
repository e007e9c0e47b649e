import Workspace

/// What somebody asks of the host of a workspace.
struct StoredHostRequest: Storable {
  var number: Int64
  var kind: String
  var who: String?
  var requestedAt: Int64
  var takenAt: Int64?

  static let number = Field("number", \StoredHostRequest.number)
  static let kind = Field("kind", \StoredHostRequest.kind)
  static let who = Field("who", \StoredHostRequest.who)
  static let requestedAt = Field("requested_at", \StoredHostRequest.requestedAt)
  static let takenAt = Field("taken_at", \StoredHostRequest.takenAt)
  static let schema = ObjectSchema(
    "host_request", StoredHostRequest.init, number, kind, who, requestedAt, takenAt, key: number)
}
