/// The outcomes specific to cluster jobs, by their error codes, which `retry.on` accepts as words.
package enum ClusterEnd: String, Sendable, CaseIterable {
  case nodeFailed = "node-failed"
  case preempted
  case outOfMemory = "out-of-memory"
  case lost
  case timeLimit = "time-limit"
  case cancelledOutside = "cancelled-outside"
  case submitRefused = "submit-refused"
}
