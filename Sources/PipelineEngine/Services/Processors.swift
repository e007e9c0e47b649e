import CProcess

/// The processors of this machine.
enum Processors {
  /// How many this process may run on, as its affinity says.
  static let count = Int(penstock_processor_count())
}
