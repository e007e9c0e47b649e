import PluginHost
import Synchronization
import Testing
import Values

@testable import PipelineEngine
@testable import RunHistory

@Suite("Events of controllers") struct ControllerSessionTests {
  private static let text = """
    name: nightly
    controllers: [{ uses: ticks }]
    operations: [{ name: a, value: 1 }]
    """

  /// A controller that requests a run, skips instants, and requests another run.
  private func session(
    leftOut: Bool, _ body: (ControllerSession) async throws -> Void
  ) async throws {
    let plugin = try FakePlugin("ticks", offers: [["kind": "controller", "id": "ticks"]]) { instance in
      instance.events.yielded(.rerun(["instant": "2026-01-31T07:00:00Z"]))
      instance.events.yielded(
        .leftOut(["reason": "host-down", "instants": ["2026-01-31T08:00:00Z", "2026-01-31T09:00:00Z"]]))
      instance.events.yielded(.leftOut(["reason": "A story"]))
      instance.events.yielded(
        .leftOut([
          "reason": "catch-up-limit", "first": "2026-01-31T10:00:00Z", "last": "2026-01-31T12:00:00Z", "count": 3,
        ]))
      instance.events.yielded(.rerun(["instant": "2026-01-31T13:00:00Z"]))
    }
    let catalog = FakeCatalog([plugin])
    let host = try EngineTestHost(plugins: .catalog(catalog))
    let session = try RunHost(services: host.services).controllers(
      of: try catalog.pipeline(Self.text), parameters: [:], leftOut: leftOut
    ) {}
    try await body(session)
    session.end()
    await host.close()
  }

  private func time(_ text: String) throws -> RecordTime {
    RecordTime(secondsSince1970: try #require(TimestampNotation.parse(text)))
  }

  /// Takes everything that there is.
  private func all(_ session: ControllerSession) async throws -> [ControllerEvent] {
    var events: [ControllerEvent] = []
    while let event = try await session.take() { events.append(event) }
    return events
  }

  @Test("skipped instants are taken in order among the others")
  func leftOut() async throws {
    let (seven, eight, nine, ten, noon, one) = (
      try time("2026-01-31T07:00:00Z"), try time("2026-01-31T08:00:00Z"), try time("2026-01-31T09:00:00Z"),
      try time("2026-01-31T10:00:00Z"), try time("2026-01-31T12:00:00Z"), try time("2026-01-31T13:00:00Z")
    )
    try await session(leftOut: true) { session in
      let events = try await all(session)
      #expect(events.map(\.instant) == [seven, nil, nil, one])
      #expect(events.map(\.leftOut?.reason) == [nil, "host-down", "catch-up-limit", nil])
      #expect(events.map(\.leftOut?.instants) == [nil, [eight, nine], [], nil])
      #expect(
        events.map(\.leftOut?.range) == [nil, nil, LeftOutInstants.Range(first: ten, last: noon, count: 3), nil])
      #expect(Set(events.map(\.controller)) == ["ticks"])
    }
  }

  @Test("a session that does not request skipped instants does not receive them")
  func ignored() async throws {
    let (seven, one) = (try time("2026-01-31T07:00:00Z"), try time("2026-01-31T13:00:00Z"))
    try await session(leftOut: false) { session in
      let events = try await all(session)
      #expect(events.map(\.instant) == [seven, one])
      #expect(events.allSatisfy { $0.leftOut == nil })
    }
  }

  @Test("an instance is released as soon as it has ended, not only when its time limit passes")
  func letGo() async throws {
    let plugin = try FakePlugin("ticks", offers: [["kind": "controller", "id": "ticks"]]) { _ in }
    let catalog = FakeCatalog([plugin])
    let host = try EngineTestHost(plugins: .catalog(catalog))
    let session = try RunHost(services: host.services).controllers(of: try catalog.pipeline(Self.text), parameters: [:])
    {}
    #expect(plugin.counts.withLock { $0.created - $0.destroyed } == 1)
    session.end()
    #expect(plugin.counts.withLock { $0.created - $0.destroyed } == 0)
    await host.close()
  }
}
