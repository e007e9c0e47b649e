import Operations
import Testing

@Suite("Operation random")
struct OperationRandomTests {
  @Test("The numbers of a seed are those of SplitMix64")
  func numbersOfASeed() {
    let random = OperationRandom(seed: 1_234_567)
    let numbers = (0..<3).map { _ in random.next() }
    #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test("Two generators with the same seed return the same numbers")
  func sameSeed() {
    let (first, second) = (OperationRandom(seed: 7), OperationRandom(seed: 7))
    #expect((0..<50).map { _ in first.next() } == (0..<50).map { _ in second.next() })
  }

  @Test("Copies draw from one sequence")
  func copies() {
    let (source, reference) = (OperationRandom(seed: 7), OperationRandom(seed: 7))
    let copy = source
    let drawn = [source.next(), copy.next(), source.next()]
    #expect(drawn == (0..<3).map { _ in reference.next() })
  }

  @Test("The system's random numbers do not repeat")
  func system() {
    let random = OperationRandom.system
    #expect(random.next() != random.next())
  }
}
