/// A reproducible random source: SplitMix64.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The source of one round: rounds are independent of one another, so that one can be repeated alone.
  public init(seed: UInt64, round: Int = 0) {
    state = seed &+ UInt64(bitPattern: Int64(round)) &* 0xD1B5_4A32_D192_ED03
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below `limit`; 0 where that is none.
  public mutating func next(below limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

  /// True once in `n` times.
  public mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

  /// An element of a collection that has some.
  public mutating func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element {
    let offset = Int.random(in: 0..<elements.count, using: &self)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}
