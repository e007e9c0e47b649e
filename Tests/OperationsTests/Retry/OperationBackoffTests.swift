import Operations
import Testing

@Suite("Backoff")
struct OperationBackoffTests {
  struct Curve: Sendable, CustomTestStringConvertible {
    let kind: OperationBackoff.Kind
    let seconds: [Int]
    var testDescription: String { kind.rawValue }
  }

  static let curves = [
    Curve(kind: .constant, seconds: [2, 2, 2, 2, 2, 2, 2]),
    Curve(kind: .linear, seconds: [2, 4, 6, 8, 10, 12, 14]),
    Curve(kind: .exponential, seconds: [2, 4, 8, 16, 32, 64, 90]),
    Curve(kind: .fibonacci, seconds: [2, 2, 4, 6, 10, 16, 26]),
  ]

  private func delays(_ backoff: OperationBackoff, _ retries: some Sequence<Int>, seed: UInt64 = 1) -> [Duration] {
    var random = OperationRandom(seed: seed)
    var previous: Duration?
    return retries.map { n in
      let delay = backoff.delay(beforeRetry: n, previous: previous, using: &random)
      previous = delay
      return delay
    }
  }

  @Test("Each kind follows its curve, up to the cap", arguments: curves)
  func curve(_ curve: Curve) {
    let backoff = OperationBackoff(curve.kind, base: .seconds(2), cap: .seconds(90), jitter: .none)
    #expect(delays(backoff, 1...7) == curve.seconds.map { .seconds($0) })
  }

  @Test("The default is exponential from one second to sixty, with full jitter")
  func defaults() {
    #expect(OperationBackoff() == OperationBackoff(.exponential, base: .seconds(1), cap: .seconds(60), jitter: .full))
    #expect(OperationContext().operationBackoff == OperationBackoff())
  }

  @Test("Delays stay at the cap for any number of retries", arguments: OperationBackoff.Kind.allCases)
  func saturation(_ kind: OperationBackoff.Kind) {
    let cap = Duration.seconds(Int64.max)
    let backoff = OperationBackoff(kind, base: .seconds(Int64.max / 2), cap: cap, jitter: .none)
    for n in [3, 62, 63, 64, 127, 128, 200, 10_000, Int.max] {
      for delay in delays(backoff, [n, n]) { #expect(delay >= .zero && delay <= cap) }
    }
    let growing: Set<OperationBackoff.Kind> = [.linear, .exponential, .fibonacci]
    if growing.contains(kind) { #expect(delays(backoff, [Int.max]) == [cap]) }
  }

  @Test("A retry number below one counts as one, and a negative base or cap as zero")
  func oddNumbers() {
    let backoff = OperationBackoff(.exponential, base: .seconds(3), jitter: .none)
    #expect(delays(backoff, [0, -5, Int.min]) == [.seconds(3), .seconds(3), .seconds(3)])
    #expect(delays(OperationBackoff(.linear, base: .seconds(-3)), 1...2) == [.zero, .zero])
    #expect(delays(OperationBackoff(.decorrelated, base: .seconds(3), cap: .seconds(-1)), 1...2) == [.zero, .zero])
  }

  @Test("Full jitter ranges from zero to the delay")
  func fullJitter() {
    let backoff = OperationBackoff(.constant, base: .seconds(10), jitter: .full)
    let drawn = delays(backoff, 1...500)
    #expect(drawn.allSatisfy { $0 >= .zero && $0 <= .seconds(10) })
    #expect(drawn.contains { $0 < .seconds(1) })
    #expect(drawn.contains { $0 > .seconds(9) })
  }

  @Test("Equal jitter keeps half of the delay and randomises the other half")
  func equalJitter() {
    let backoff = OperationBackoff(.constant, base: .seconds(10), jitter: .equal)
    let drawn = delays(backoff, 1...500)
    #expect(drawn.allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(10) })
    #expect(drawn.contains { $0 < .milliseconds(5_500) })
    #expect(drawn.contains { $0 > .milliseconds(9_500) })
  }

  @Test("Decorrelated delays are between the base and three times the previous delay, up to the cap")
  func decorrelated() {
    let backoff = OperationBackoff(.decorrelated, base: .seconds(1), cap: .seconds(20), jitter: .none)
    for seed in 1...50 as ClosedRange<UInt64> {
      var previous = Duration.seconds(1)
      for delay in delays(backoff, 1...20, seed: seed) {
        #expect(delay >= .seconds(1) && delay <= min(previous * 3, .seconds(20)))
        previous = delay
      }
    }
  }

  @Test("A seed reproduces the same delays", arguments: OperationBackoff.Kind.allCases)
  func reproducible(_ kind: OperationBackoff.Kind) {
    let backoff = OperationBackoff(kind)
    #expect(delays(backoff, 1...20, seed: 42) == delays(backoff, 1...20, seed: 42))
    #expect(delays(backoff, 1...20, seed: 42) != delays(backoff, 1...20, seed: 43))
  }
}
