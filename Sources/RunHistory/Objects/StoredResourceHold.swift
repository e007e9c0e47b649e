import Workspace

/// What an operation holds of a resource.
struct StoredResourceHold: Storable {
  var number: Int64
  /// The key of the resource.
  var resource: String
  var amount: Int64
  var boot: String
  var pid: Int64
  var processStarted: Int64
  var run: String
  var operation: String
  var takenAt: Int64

  static let number = Field("number", \StoredResourceHold.number)
  static let resource = Field("resource", \StoredResourceHold.resource)
  static let amount = Field("amount", \StoredResourceHold.amount)
  static let boot = Field("boot", \StoredResourceHold.boot)
  static let pid = Field("pid", \StoredResourceHold.pid)
  static let processStarted = Field("process_started", \StoredResourceHold.processStarted)
  static let run = Field("run", \StoredResourceHold.run)
  static let operation = Field("operation", \StoredResourceHold.operation)
  static let takenAt = Field("taken_at", \StoredResourceHold.takenAt)
  static let schema = ObjectSchema(
    "resource_hold", StoredResourceHold.init, number, resource, amount, boot, pid, processStarted, run, operation,
    takenAt, key: number)
}
