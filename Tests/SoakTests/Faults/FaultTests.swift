import Testing

extension Soak {
  /// The faults come in an order that the seed gives, each at least once; about every four seconds the host that serves is killed.
  ///
  /// The short form takes about a minute. `PENSTOCK_SOAK=full swift test --filter FaultTests`, which is a part of `make soak`, goes on for ten minutes, and with
  /// `PENSTOCK_SOAK_MINUTES=120` for two hours.
  @Suite("Hosts under faults") struct FaultTests {
    @Test("lose no result, repeat nothing that has finished, have each instant once, and name each fault in their log")
    func faults() async throws {
      let bench = try await FaultBench()
      do {
        let lateness = try await bench.play(for: Soak.faultTime)
        try await bench.rest()
        var breaches = try await bench.repeatByHand("resume", "interrupted")
        breaches += try bench.breaches()
        breaches += try await bench.repeatByHand("retry", "failed")
        let ledger = bench.ledger.withLock { $0 }
        #expect(breaches == [], "seed \(Soak.seed), \(ledger.faults)\n\(breaches.isEmpty ? "" : bench.log.account)")
        let runs = try bench.served.probe().value("SELECT count(*) FROM runs") ?? "no"
        print(
          "under faults (seed \(Soak.seed)): \(runs) runs, \(ledger.faults.values.reduce(0, +)) faults, \(ledger.kills) kills of the host that served"
        )
        // It depends on what else the machine does: nothing is expected of it here.
        if let lateness {
          print(
            "without faults, 99.9 % of \(lateness.count) turns of the event loop took \(lateness.turns) ms at most, and of its timers were \(lateness.timers) ms late at most; the goal is 20 ms"
          )
        }
        try await bench.close()
      } catch {
        try await bench.close()
        throw error
      }
    }
  }
}
