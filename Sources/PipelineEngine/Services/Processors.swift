import CProcess

/// The processors of this computer.
enum Processors {
  /// The number of processors that this process may run on, according to its affinity.
  static let count = Int(penstock_processor_count())
}
