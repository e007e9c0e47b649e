import HTTPOperations

/// What the requests of one host share: one client with its connections, what they know of each other, and the budget
/// of their retries.
final class HTTPHost: Sendable {
  let client = HTTPClient()
  let peers = HTTPPeers()
  let budget = HTTPRetryBudget()
}
