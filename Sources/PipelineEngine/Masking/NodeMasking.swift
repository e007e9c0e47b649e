import SlurmJobs

/// Masks the output of operations on the nodes of a cluster, as on this computer.
package enum NodeMasking {
  /// Returns a mask for secrets; nil if there is nothing to mask.
  package static func mask(_ secrets: [String]) -> (any OutputMask)? { SecretMasker(secrets).scanner() }
}

extension SecretScanner: OutputMask {}
