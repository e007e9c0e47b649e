import PipelineLanguage
import RunHistory
import Testing

@testable import PipelineService
@testable import penstock

@Suite("The activity in a workspace")
struct TopLayoutTests {
  @Test(
    "each part gets what it needs up to an equal share, and the rest goes to those that need more",
    arguments: [
      (12, [3, 3, 3], [3, 3, 3]), (9, [20, 20, 20], [3, 3, 3]), (10, [1, 20, 2], [1, 7, 2]),
      (10, [0, 20, 2], [0, 8, 2]),
      (3, [5, 0, 0], [3, 0, 0]), (0, [1, 1, 1], [0, 0, 0]),
    ] as [(Int, [Int], [Int])])
  func shares(room: Int, needs: [Int], shares: [Int]) {
    #expect(TopLayout.shares(of: room, among: needs) == shares)
  }

  private let start = RecordTime(microseconds: 1_700_000_000_000_000)

  private func run(_ pipeline: String, _ state: RunState = .running) -> RunRecord {
    RunRecord(
      id: RunID("03kx9fab0001") ?? .generate(), pipeline: pipeline, definitionHash: "", path: nil, host: "h", user: "u",
      version: "1", state: state, createdAt: start, startedAt: start, counts: RunCounts(operations: 3, succeeded: 1))
  }

  private func operation(_ name: String, _ state: OperationState, ordinal: Int) -> OperationRecord {
    OperationRecord(run: run("x").id, ordinal: ordinal, name: name, position: ordinal, state: state)
  }

  private func layout(_ activity: Activity, width: Int?, height: Int? = nil) -> [String] {
    TopLayout(
      activity: activity, workspace: "/w/.penstock", now: start.advanced(by: 12_000_000), short: { $0.short },
      style: .plain,
      width: width, height: height
    ).lines()
  }

  @Test("runs, questions and leases are listed one below the other")
  func parts() {
    let asking = run("release")
    var activity = Activity(
      runs: [
        .init(
          record: asking,
          operations: [operation("build", .waiting, ordinal: 0), operation("test", .running, ordinal: 1)])
      ], questions: [], leases: [])
    activity.questions = [
      .init(
        path: "deploy/publish", run: asking,
        approval: Approval(run: asking.id, ordinal: 2, operation: "publish", message: "Ship it?", requestedAt: start))
    ]
    #expect(
      layout(activity, width: nil) == [
        "1 run, 1 question, 0 leases in /w/.penstock", "",
        "RUN       PIPELINE  STATE    TIME    DONE  NOW",
        "03kx9fab  release   running   12s  1 of 3  test, build (waiting)", "",
        "QUESTION", "deploy/publish of run 03kx9fab, for 12s", "  Ship it?", "  penstock approve 03kx9fab publish",
      ])
    #expect(
      layout(activity, width: 30).suffix(4) == [
        "deploy/publ… of run 03kx9fab,…", "  Ship it?", "  penstock approve 03kx9fab \\", "    publish",
      ])
  }

  @Test(
    "the name of a question's operation keeps its item number, and its command can be pasted", arguments: [40, 80, 120])
  func item(width: Int) {
    let asking = run("release")
    let name = "ask-the-people-who-know[1]"
    let activity = Activity(
      runs: [],
      questions: [
        .init(
          path: name, run: asking,
          approval: Approval(run: asking.id, ordinal: 2, operation: name, message: "Ship it?", requestedAt: start))
      ], leases: [])
    let lines = layout(activity, width: width)
    if width == 40 {
      #expect(
        lines.suffix(4) == [
          "ask-the-peo…[1] of run 03kx9fab, for 12s", "  Ship it?", "  penstock approve 03kx9fab \\",
          "    'ask-the-people-who-know[1]'",
        ])
    } else {
      #expect(
        lines.suffix(3) == [
          "\(name) of run 03kx9fab, for 12s", "  Ship it?", "  penstock approve 03kx9fab '\(name)'",
        ])
    }
  }

  @Test(
    "nothing is larger than the terminal or contains control characters, regardless of the content",
    arguments: [(20, 6), (40, 10), (80, 24)])
  func hostile(width: Int, height: Int) {
    let evil = "\u{1B}[2J\u{202E}日本語\r\n" + String(repeating: "x語", count: 100)
    let asking = run(evil)
    let activity = Activity(
      runs: (0..<30).map { _ in .init(record: asking, operations: [operation(evil, .running, ordinal: 0)]) },
      questions: (0..<3).map {
        .init(
          path: evil, run: asking,
          approval: Approval(run: asking.id, ordinal: $0, operation: evil, message: evil, requestedAt: start))
      }, leases: [])
    let lines = layout(activity, width: width, height: height)
    #expect(lines.count <= height)
    for line in lines {
      #expect(!line.unicodeScalars.contains { TerminalText.isActing($0) }, "\(line)")
      #expect(line.unicodeScalars.reduce(0) { $0 + ("日本語".unicodeScalars.contains($1) ? 2 : 1) } <= width, "\(line)")
    }
    #expect(lines.contains("QUESTION"))
  }
}
