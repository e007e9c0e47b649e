import PipelineService
import Workspace

/// Why a host does not serve a workspace.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  /// Another host does.
  case served(by: Lease, workspace: String)

  /// A stable code.
  package var code: String { "workspace-served" }

  package var description: String {
    switch self {
    case .served(let lease, let workspace):
      "\(lease.holder) serves the workspace '\(workspace)' already; stop it with `penstock drain`, wait for its end with --standby, or name another workspace"
    }
  }
}
