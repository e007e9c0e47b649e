/// The ends that only a job on other machines has, by their error codes, which `retry.on` takes as words.
package enum ClusterEnd: String, Sendable, CaseIterable {
  case nodeFailed = "node-failed"
  case preempted
  case outOfMemory = "out-of-memory"
  case lost
}
