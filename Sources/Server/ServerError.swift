import PipelineService
import Workspace

/// Why a host does not serve a workspace.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  /// Another host does.
  case served(by: Lease, workspace: String)
  /// The workspace is on a network file system, of this name: processes of other computers could write to it, whom nothing tells from those that are gone.
  case onNetwork(String, workspace: String)

  /// A stable code.
  package var code: String {
    switch self {
    case .served: "workspace-served"
    case .onNetwork: "workspace-on-network"
    }
  }

  package var description: String {
    switch self {
    case .served(let lease, let workspace):
      "\(lease.holder) serves the workspace '\(workspace)' already; stop it with `penstock drain`, wait for its end with --standby, or name another workspace"
    case .onNetwork(let name, let workspace):
      "the workspace '\(workspace)' is on a network file system (\(name)), where SQLite's log does not work and processes of other computers cannot be seen; name a workspace on a local disk"
    }
  }
}
