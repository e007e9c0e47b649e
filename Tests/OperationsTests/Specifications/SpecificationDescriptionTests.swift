import Operations
import OperationsTesting
import Testing

@Suite("Descriptions of specifications")
struct SpecificationDescriptionTests {
  private let context: OperationContext = {
    var context = OperationContext()
    context.operationTimestampFormat = { "\($0.seconds / 3600):00" }
    return context
  }()

  private func time(_ hour: Int64) -> Timestamp { Timestamp(seconds: hour * 3600) }

  private func test(_ name: String, _ value: Bool, _ hour: Int64? = nil) -> TestRunSpecification {
    TestRunSpecification(value, name: name, changedAt: hour.map(time))
  }

  private func line(_ specification: some OperationRunSpecification) -> String {
    specification.description(in: context).description
  }

  @Test("The description of a condition names the part that decides it, and since when")
  func decides() {
    #expect(
      line(test("connected", true, 9) && test("office-hours", false, 18))
        == "connected && office-hours: office-hours is false since 18:00")
    #expect(line(test("a", true, 1) || test("b", false, 2)) == "a || b: a is true since 1:00")
    #expect(line(test("a", false, 1) || test("b", false)) == "a || b: a is false since 1:00, b is false")
    #expect(line(test("a", false, 1) && test("b", false, 2)) == "a && b: a is false since 1:00, b is false since 2:00")
    #expect(line(!test("a", true, 3)) == "!a: a is true since 3:00")
    #expect(line(.always) == "always: always is true")
    #expect(line(.never) == "never: never is false")
  }

  @Test("Parentheses are used only where they are needed")
  func parentheses() {
    let (a, b, c) = (test("a", true), test("b", true), test("c", true))
    func formula(_ specification: some OperationRunSpecification) -> String {
      specification.description(in: context).formula
    }
    #expect(formula(a && b || c) == "a && b || c")
    #expect(formula(a && (b || c)) == "a && (b || c)")
    #expect(formula(!(a && b)) == "!(a && b)")
    #expect(formula(!a && !(!b)) == "!a && !!b")
    #expect(formula((a || b).hold(for: .seconds(90))) == "(a || b) for 90s")
    #expect(formula((a || b).named("either") && c) == "either && c")
    #expect(formula(a.hold(for: .milliseconds(1250)) && a.hold(for: .milliseconds(40))) == "a for 1.25s && a for 0.04s")
  }

  @Test(
    "The value of a condition is as old as the parts that decide it",
    arguments: [
      (true, 1, true, 2, 2, 1), (true, 1, false, 2, 2, 1), (false, 1, true, 2, 1, 2), (false, 1, false, 2, 1, 2),
    ] as [(Bool, Int64, Bool, Int64, Int64, Int64)])
  func age(left: Bool, leftHour: Int64, right: Bool, rightHour: Int64, and: Int64, or: Int64) {
    let (a, b) = (test("a", left, leftHour), test("b", right, rightHour))
    #expect((a && b).description(in: context).changedAt == time(and))
    #expect((a || b).description(in: context).changedAt == time(or))
    #expect((a && b).description(in: context).isSatisfied == (left && right))
    #expect((a || b).description(in: context).isSatisfied == (left || right))
  }

  @Test("A value that depends on an unknown age has an unknown age")
  func unknownAge() {
    #expect((test("a", true, 1) && test("b", true)).description(in: context).changedAt == nil)
    #expect((test("a", false, 1) && test("b", false)).description(in: context).changedAt == time(1))
  }

  @Test("A name replaces the whole condition, and is followed by what decides it")
  func named() {
    let (a, b, c) = (test("a", true, 1), test("b", false, 2), test("c", false, 3))
    #expect(line((a && b).named("ready")) == "ready: ready is false: b is false since 2:00")
    #expect(
      line((b && c).named("ready") && c)
        == "ready && c: ready is false: b is false since 2:00, c is false since 3:00; c is false since 3:00")
    #expect(line((!a).named("ready")) == "ready: ready is false: a is true since 1:00")
  }

  @Test("A name for a name replaces it")
  func renamed() {
    #expect(line(.named("ready", test("a", true, 1))) == "ready: ready is true since 1:00")
  }

  @Test("Intermediate names are omitted, and shared causes are listed once")
  func namesOfNames() {
    let (a, b) = (test("a", false, 1), test("b", false, 2))
    let (left, right) = ((a && b).named("left"), (!(!a)).named("right"))
    #expect(
      line((left && right).named("both")) == "both: both is false: a is false since 1:00, b is false since 2:00")
  }

  @Test("A reason shared by several parts is listed once")
  func shared() {
    let a = test("a", false, 1)
    #expect(line(a && a) == "a && a: a is false since 1:00")
  }

  @Test("A type without a description of its own is described by its name")
  func standard() {
    struct Moonlight: OperationRunSpecification {
      func isSatisfied(in context: OperationContext) -> Bool { false }
      func subscribe(
        in context: OperationContext, onChange: @escaping @Sendable () -> Void
      ) -> OperationSubscription { .empty }
    }
    #expect(line(Moonlight()) == "Moonlight: Moonlight is false")
  }

  @Test(
    "Times are formatted in UTC by default",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_772_388_123, "2026-03-01T18:02:03Z"),
      (-1, "1969-12-31T23:59:59Z"), (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] as [(Int64, String)])
  func universalTime(seconds: Int64, text: String) {
    #expect(OperationContext().operationTimestampFormat(Timestamp(seconds: seconds)) == text)
  }

  @Test("Times at the ends of the range do not trap")
  func extremes() {
    for seconds in [Int64.min, Int64.max] {
      #expect(!OperationContext().operationTimestampFormat(Timestamp(seconds: seconds)).isEmpty)
    }
  }

  @Test("A description is a single line, whatever its names and reasons contain")
  func oneLine() {
    #expect(line(.never.named("a\nb\u{1B}[1m")) == #"a\nb\u{1B}[1m: a\nb\u{1B}[1m is false: never is false"#)
    let own = SpecificationDescription(
      formula: "tab\there", reason: "\u{85}, \u{2028} and \u{2029}\r", isSatisfied: true)
    #expect(own.description == #"tab\there: \u{85}, \u{2028} and \u{2029}\r"#)
    #expect(SpecificationDescription(formula: "Ärger – ∞", reason: "", isSatisfied: true).formula == "Ärger – ∞")
  }
}
