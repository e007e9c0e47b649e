import Foundation
import OperationsTesting
import Testing

extension Soak {
  @Suite("Setting the clock repeats no instant and loses none") struct ClockStepTests {
    private struct Row: Hashable {
      var outcome: String
      var reason: String
    }

    private static let policies = ["none", "last", "all"]

    @Test("by an hour forward and back, then by days")
    func steps() async throws {
      let scratch = try Scratch()
      try scratch.directory("pipelines")
      let effects = try scratch.directory("effects")
      for policy in Self.policies {
        try scratch.write(
          """
          name: \(policy)
          controllers:
            - { uses: cron, with: { schedule: "* * * * * *", zone: UTC, catch_up: \(policy), catch_up_limit: 20 } }
          operations: [{ name: work, run: '\(ServedWorkspace.effect(in: effects))' }]
          """, to: "pipelines/\(policy).yaml")
      }
      let clock = try SettableClock(scratch)
      let plain = Tool(scratch: scratch, limit: .seconds(100))
      let served = ServedWorkspace(plain, effects: effects)
      let tool = try await HostFaults.shared.setClock(of: plain, to: clock)
      let ending = try await tool.run("serve", "pipelines") { _, send in
        try await expectInstants(in: served, after: clock.now)
        // Skips an hour.
        let before = clock.now
        try clock.step(by: .seconds(3600))
        try await expectInstants(in: served, after: clock.now)
        try expectDealtWith(from: before, to: clock.now, served)
        // All instants of that hour have been processed.
        let rows = try count(served)
        try clock.step(by: .seconds(-3600))
        try await Task.sleep(for: .seconds(2))
        #expect(try count(served) <= rows + 2 * Self.policies.count, "instants have come up again")
        // Far enough back that the schedules restart there.
        try clock.step(by: .seconds(-2 * 86_400))
        try await expectInstants(in: served, after: clock.now)
        // Across instants that have already been processed, too.
        try clock.step(by: .seconds(2 * 86_400 + 2 * 3600))
        try await expectInstants(in: served, after: clock.now)
        for policy in Self.policies { try FileManager.default.removeItem(atPath: scratch("pipelines/\(policy).yaml")) }
        let isQuiet = try await eventually(within: .seconds(40)) {
          try Self.policies.allSatisfy { try !served.isServed($0) }
            && served.probe().value(
              "SELECT NOT EXISTS (SELECT 1 FROM runs WHERE state IN ('queued', 'running'))") == "1"
        }
        #expect(isQuiet)
        send(.terminate)
      }
      #expect(ending.code == 0, ending.summary)
      let breaches = try served.breachesAtRest(since: [:])
      #expect(breaches == [])
      let told = ending.error.split(separator: "\n").filter { $0.contains(#""event":"clock-set""#) }
      let changes = told.compactMap { line in
        line.firstMatch(of: /(forward|back) by ([0-9a-z]+),/).map { "\($0.1) \($0.2)" }
      }
      #expect(changes == ["forward 1h", "back 1h", "back 2d", "forward 2d2h"], ending.summary)
    }

    /// Waits until each pipeline has a successful scheduled run for an instant after `moment`.
    private func expectInstants(in served: ServedWorkspace, after moment: Date) async throws {
      let text = moment.formatted(.iso8601)
      for policy in Self.policies {
        let comes = await eventually(within: .seconds(30)) {
          (try? served.probe().value(
            "SELECT 1 FROM occasions JOIN runs ON runs.id = occasions.run WHERE occasions.pipeline = '\(policy)' AND occasions.instant > '\(text)' AND runs.state = 'succeeded'"
          )) == "1"
        }
        #expect(comes, "'\(policy)' does not run after \(text)")
      }
    }

    /// Expects that each instant has a row, and that those skipped by the clock have the outcome set by `catch_up`.
    private func expectDealtWith(from start: Date, to end: Date, _ served: ServedWorkspace) throws {
      // Ignores instants right before and after the step; what is noticed within a minute counts as on time.
      let (first, last) = (start.addingTimeInterval(2), end.addingTimeInterval(-62))
      for policy in Self.policies {
        let rows = try served.probe().rows(
          """
          SELECT outcome, ifnull(reason, ''), count(*) FROM occasions
          WHERE pipeline = '\(policy)' AND instant > '\(first.formatted(.iso8601))' AND instant < '\(last.formatted(.iso8601))' GROUP BY 1, 2
          """)
        let counts = Dictionary(
          rows.map { (Row(outcome: $0[0], reason: $0[1]), Int($0[2]) ?? 0) }, uniquingKeysWith: +)
        let all = counts.values.reduce(0, +)
        #expect((3530...3540).contains(all), "\(policy): \(counts)")
        let reason = policy == "all" ? "catch-up-limit" : "host-down"
        #expect(Set(counts.keys) == [Row(outcome: "skipped", reason: reason)], "\(policy): \(counts)")
      }
    }

    private func count(_ served: ServedWorkspace) throws -> Int {
      try served.probe().value("SELECT count(*) FROM occasions").flatMap { Int($0) } ?? 0
    }
  }
}
