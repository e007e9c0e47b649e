import Workspace

/// An audit entry as a row of the table.
struct StoredAuditEntry: Storable {
  var number: Int64
  var at: Int64
  var who: String
  var how: String
  var what: String
  var onWhat: String
  var detail: String?

  static let number = Field("number", \StoredAuditEntry.number)
  static let at = Field("at", \StoredAuditEntry.at)
  static let who = Field("who", \StoredAuditEntry.who)
  static let how = Field("how", \StoredAuditEntry.how)
  static let what = Field("what", \StoredAuditEntry.what)
  static let onWhat = Field("on_what", \StoredAuditEntry.onWhat)
  static let detail = Field("detail", \StoredAuditEntry.detail)
  static let schema = ObjectSchema(
    "audit_record", StoredAuditEntry.init, number, at, who, how, what, onWhat, detail, key: number)
}
