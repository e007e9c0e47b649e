import HTTPOperations

/// What the requests of one host share: one client with its connections, what they know of each other and of those of other hosts on the workspace,
/// and the retry budget. Costs nothing before the first request.
final class HTTPHost: Sendable {
  let client = HTTPClient()
  let peers: HTTPPeers
  let budget = HTTPRetryBudget()

  init(workspace directory: String, loop: EventLoop, paths: PathWatch) {
    peers = HTTPPeers(channel: WorkspacePeers(workspace: directory, loop: loop, paths: paths))
  }
}
