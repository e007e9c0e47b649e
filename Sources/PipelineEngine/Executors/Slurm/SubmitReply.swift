import SlurmJobs

/// The answer to a submission. A client that failed may have succeeded: with a busy controller it gives up after ten seconds, and the job runs all the same.
enum SubmitReply: Sendable, Hashable {
  /// Accepted, with this number.
  case accepted(Int64)
  /// Refused for good, for this reason.
  case refused(String)
  /// There is no room at the moment.
  case full(String)
  /// It is unknown whether it was accepted.
  case open(String)

  /// What clients print when they could not talk to the controller, in lower case.
  private static let silences = [
    "timed out", "timeout", "unable to contact", "unable to establish", "zero bytes", "connection", "not responding",
    "communication", "munge", "authentication", "resolve", "transmit", "could not be started",
  ]
  /// What the controller answers when a limit on the number of jobs is reached.
  private static let limits = [
    SlurmClients.fullQueue, "temporarily unable", "temporarily unavailable", "submit limit", "maxjobcount",
    "max submit",
  ]

  init(_ reply: SlurmClients.Reply) {
    let text = reply.errors.lowercased()
    guard let code = reply.code else {
      self = text.contains(SlurmClients.fullQueue) ? .full(reply.complaint) : .open(reply.complaint)
      return
    }
    guard code == 0 else {
      if Self.silences.contains(where: text.contains) {
        self = .open(reply.complaint)
      } else {
        self = Self.limits.contains(where: text.contains) ? .full(reply.complaint) : .refused(reply.complaint)
      }
      return
    }
    // A federation adds the name of the cluster.
    let number = reply.output.split(separator: "\n").last?.split(separator: ";").first
    self = number.flatMap { SlurmJobID($0) }.map { .accepted($0.job) } ?? .open("it printed no job id")
  }
}
