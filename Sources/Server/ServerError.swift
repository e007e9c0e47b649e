import PipelineService
import Workspace

/// Why a host does not serve a workspace, or did not end properly.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  /// Another host serves it.
  case served(by: Lease, workspace: String, isDraining: Bool = false)
  /// The workspace is on the network file system of this name: processes of other computers could write to it, and cannot be told from processes that are gone.
  case onNetwork(String, workspace: String)
  /// The host ended while its history could not be written, so the ends of this many runs are not recorded.
  case unrecorded(runs: Int)

  /// A stable code.
  package var code: String {
    switch self {
    case .served: "workspace-served"
    case .onNetwork: "workspace-on-network"
    case .unrecorded: "run-unrecorded"
    }
  }

  package var description: String {
    switch self {
    case .served(let lease, let workspace, true):
      "\(lease.holder) is draining but still serves the workspace '\(workspace)'; wait with `penstock drain --wait`, or start this host with --standby, which takes over when that host ends"
    case .served(let lease, let workspace, false):
      "\(lease.holder) already serves the workspace '\(workspace)'; stop it with `penstock drain --wait`, start this host with --standby to take over when it ends, or use another --workspace"
    case .onNetwork(let name, let workspace):
      "the workspace '\(workspace)' is on a network file system (\(name)), where SQLite's log does not work and processes of other computers cannot be seen; name a workspace on a local disk"
    case .unrecorded(let count):
      "the history could not be written, and \(count) \(count == 1 ? "run is" : "runs are") interrupted; free some space, and the next host resumes \(count == 1 ? "it" : "them") from what is recorded"
    }
  }
}
