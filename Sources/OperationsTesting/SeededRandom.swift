/// A reproducible random number generator: SplitMix64.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator of one round. Rounds are independent of each other, so that each can be repeated on its own.
  public init(seed: UInt64, round: Int = 0) {
    state = seed &+ UInt64(bitPattern: Int64(round)) &* 0xD1B5_4A32_D192_ED03
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to but not including `limit`, or 0 if `limit` is less than 1.
  public mutating func next(below limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

  /// Returns true with a probability of one in `n`.
  public mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

  /// Returns a random element of a collection, which must not be empty.
  public mutating func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element {
    let offset = Int.random(in: 0..<elements.count, using: &self)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}
