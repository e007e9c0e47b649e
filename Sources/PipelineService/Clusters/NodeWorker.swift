import PipelineEngine
import SlurmJobs

/// Runs one attempt on a node of a cluster: `penstock worker`.
package enum NodeWorker {
  /// Returns the exit code. `directory` is that of the batch.
  package static func run(directory: String) -> Int32 {
    JobWorker.run(directory: directory, masking: NodeMasking.mask)
  }
}
