import Synchronization

/// The random number generator of operations, so that a run can be repeated exactly.
///
/// Copies of this value share their state: they draw from one sequence. May be used from any thread; with several
/// threads at once, the sequence stays the same, but which thread draws which number does not.
public struct OperationRandom: RandomNumberGenerator, Sendable {
  /// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): its state only advances
  /// by a constant, so a single atomic addition makes it safe to share.
  private final class Sequence: Sendable {
    let state: Atomic<UInt64>

    init(seed: UInt64) {
      state = Atomic(seed)
    }

    func next() -> UInt64 {
      var z = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private let sequence: Sequence?

  /// Creates the sequence of `seed`: the same numbers in every process and on every computer.
  public init(seed: UInt64) {
    sequence = Sequence(seed: seed)
  }

  private init() {
    sequence = nil
  }

  /// The system's random number generator.
  public static var system: OperationRandom { OperationRandom() }

  /// Returns the next number, uniform over all of `UInt64`.
  public func next() -> UInt64 {
    if let sequence { return sequence.next() }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
