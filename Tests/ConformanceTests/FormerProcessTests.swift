import Foundation
import Testing

/// Which of the processes left by a killed host are found and terminated before anything runs again.
@Suite("A process that a killed host left running")
struct FormerProcessTests {
  private let place: TrialPlace

  init() throws { place = try TrialPlace() }

  /// A process that an operation starts and leaves running.
  struct Variant: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The command in the operation's script.
    let command: String
    /// Whether the operation's own process has ended when the run is resumed.
    var isLeaderGone = false
  }

  private static let worker = #"sh -c 'echo $$ > pid; mv pid began; exec sleep 300'"#
  private static let bare = #"env -i PATH="$PATH" "#
  private static let silently = " > /dev/null 2>&1"
  /// Overwrites its initial environment, as programs do that set their title.
  private static let forgetful =
    #"python3 -c 'import os, time; f = open("/proc/self/stat").read().rsplit(")", 1)[1].split(); "#
    + #"m = open("/proc/self/mem", "r+b", 0); m.seek(int(f[47])); m.write(bytes(int(f[48]) - int(f[47]))); "#
    + #"open("pid", "w").write(str(os.getpid())); os.rename("pid", "began"); time.sleep(300)'"#

  private static let bareDaemon = #"(env -i PATH="$PATH" sh -c "setsid \$0; :" ./worker > /dev/null 2>&1) &"#

  static let variants = [
    Variant(testDescription: "recorded process without environment", command: "exec \(bare)\(worker)\(silently)"),
    Variant(testDescription: "recorded process that overwrote it", command: "exec \(forgetful)\(silently)"),
    Variant(testDescription: "member of its session", command: "\(bare)\(worker)\(silently) &"),
    Variant(testDescription: "its child in another session", command: "\(bare)setsid \(worker)\(silently) &"),
    Variant(
      testDescription: "grandchild in another session", command: bareDaemon),
    Variant(testDescription: "member that logs, leader gone", command: "\(bare)\(worker) &", isLeaderGone: true),
    Variant(
      testDescription: "member beside one that logs, leader gone",
      command: "\(bare)sh -c 'echo $$ > other; exec sleep 300' & \(bare)\(worker)\(silently) &", isLeaderGone: true),
    Variant(
      testDescription: "another session that logs, leader gone", command: "\(bare)setsid \(worker) &",
      isLeaderGone: true),
    Variant(
      testDescription: "another session with the environment, leader gone", command: "setsid \(worker)\(silently) &",
      isLeaderGone: true),
  ]

  /// Script lines that report whether the process still exists.
  private static let question = """
    is_alive() { grep -q '^State:.[^Z]' "/proc/$1/status" 2> /dev/null; }
    if is_alive "$(cat began)"; then echo there; kill -KILL "$(cat began)"; else echo gone; fi
    """

  /// Returns the script of an operation: its first execution leaves a process, the next one reports whether that still exists.
  private static func script(_ command: String, indent: Int) -> String {
    """
    if mkdir first 2> /dev/null; then
      echo $$ > leader
      \(command)
      until [ -e go ]; do sleep 0.01; done
      exit
    fi
    \(question)
    """.split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n") + "\n"
  }

  private static func pipeline(_ command: String) -> String {
    """
    operations:
      - name: a
        exclusive: disk
        run: |

    """ + script(command, indent: 6)
  }

  private func run(_ variant: Variant, then command: String) async throws -> TrialPlace.Outcome {
    try place.write("#!/bin/sh\n" + #"echo $$ > pid; mv pid began; exec sleep 300"#, to: "worker")
    return try await place.shell(
      """
      chmod +x worker
      ended() { while [ -d "/proc/$1" ]; do sleep 0.01; done; }
      penstock run case.yaml > first.txt 2>&1 & host=$!
      tries=0
      until [ -e began ] && penstock history sql --csv "SELECT pid FROM attempts" 2> /dev/null | grep -q '[0-9]'; do
        tries=$((tries + 1)); [ $tries -lt 300 ] || { cat first.txt; echo 'gave up'; exit 99; }; sleep 0.05
      done
      kill -KILL $host; wait $host 2> /dev/null
      \(variant.isLeaderGone ? "touch go; ended $(cat leader)" : "")
      \(command)
      [ -e go ] || kill -KILL $(cat leader) 2> /dev/null
      kill -KILL $(cat began) 2> /dev/null
      [ ! -e other ] || kill -KILL $(cat other) 2> /dev/null
      exit 0
      """)
  }

  private static let answer = """
    penstock history sql --csv "SELECT result FROM operations WHERE state = 'succeeded'" | tail -n 1
    """

  @Test("is terminated before a resume runs its operation again", arguments: variants)
  func resume(_ variant: Variant) async throws {
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(variant, then: "penstock resume --quiet\n\(Self.answer)")
    #expect(outcome.output == "\"\"\"gone\"\"\"\n", "\(outcome.text)")
  }

  @Test("is terminated before another run acquires the exclusive name of its operation", arguments: variants)
  func exclusive(_ variant: Variant) async throws {
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(variant, then: "penstock run --quiet case.yaml\n\(Self.answer)")
    #expect(outcome.output == "\"\"\"gone\"\"\"\n", "\(outcome.text)")
  }

  @Test("is reported by doctor with its run", arguments: variants)
  func doctor(_ variant: Variant) async throws {
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: "penstock doctor > doctor.txt; grep -c \"left over: .*$(cat began) of run\" doctor.txt || cat doctor.txt")
    #expect(outcome.output == "1\n", "\(outcome.text)")
  }

  @Test("is terminated even if it belongs to a nested run or to a handler")
  func nestedAndHandler() async throws {
    let command = "exec \(Self.bare)\(Self.worker)\(Self.silently)"
    try place.write(
      "operations:\n  - name: a\n    run: |\n" + Self.script(command, indent: 6), to: "nested.yaml")
    try place.write("operations: [{ name: outer, pipeline: nested.yaml }]\n", to: "case.yaml")
    let nested = try await run(
      Variant(testDescription: "", command: command), then: "penstock resume --quiet\n\(Self.answer)")
    #expect(nested.output == "\"\"\"gone\"\"\"\n", "\(nested.text)")

    let other = try FormerProcessTests()
    try other.place.write(
      "operations: [{ name: b, run: exit 1 }]\nafter:\n  failure:\n    - name: a\n      run: |\n"
        + Self.script(command, indent: 8), to: "case.yaml")
    let handler = try await other.run(
      Variant(testDescription: "", command: command), then: "penstock resume --quiet 2> /dev/null\n\(Self.answer)")
    #expect(handler.output == "\"\"\"gone\"\"\"\n", "\(handler.text)")
  }

  @Test("is not ended if it only has the id of a recorded one")
  func otherStart() async throws {
    let variant = Variant(testDescription: "", command: "exec \(Self.bare)\(Self.worker)\(Self.silently)")
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: """
        python3 -c '
        import sqlite3
        import glob, struct
        db = sqlite3.connect("workspace/workspace.db")
        db.execute("UPDATE attempt_record SET pid_started = pid_started - 1"); db.commit()
        with open(glob.glob("workspace/runs/*/processes")[0], "r+b") as file:
            mark, pid, earliest, latest = struct.unpack("<Qqqq", file.read()[64:96])
            file.seek(64)
            file.write(struct.pack("<Qqqq", mark, pid, earliest - 1000000000, latest - 1000000000))'
        penstock doctor | grep -c 'none left over'
        penstock resume --quiet
        \(Self.answer)
        """)
    #expect(outcome.output == "1\n\"\"\"there\"\"\"\n", "\(outcome.text)")
  }

  @Test("is reported and not ended if its owner cannot be determined")
  func undecided() async throws {
    let variant = Variant(
      testDescription: "", command: "\(Self.bare)\(Self.worker)\(Self.silently) &", isLeaderGone: true)
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: """
        pid=$(cat began)
        penstock doctor > doctor.txt; grep -c "cannot tell .* process $pid" doctor.txt || cat doctor.txt
        penstock resume > resumed.txt; grep -c "cannot tell .* process $pid" resumed.txt || cat resumed.txt
        \(Self.answer)
        """)
    #expect(outcome.output == "1\n1\n\"\"\"there\"\"\"\n", "\(outcome.text)")
  }

  @Test(
    "with an undetermined owner is reported by the command that takes over",
    arguments: ["exclusive: disk", "overlap: queue"])
  func undecidedTakeover(_ lease: String) async throws {
    let command =
      "(\(Self.bare)\(Self.worker)\(Self.silently) &); "
      + "\(Self.bare)setsid sh -c 'echo $$ > number; mv number other; exec env -i sleep 300'\(Self.silently) &"
    let definition = Self.pipeline(command)
    try place.write(
      lease.hasPrefix("exclusive")
        ? definition : "\(lease)\n" + definition.replacingOccurrences(of: "    exclusive: disk\n", with: ""),
      to: "case.yaml")
    let outcome = try await run(
      Variant(testDescription: "", command: command, isLeaderGone: true),
      then: """
        shows_environment() { [ "$(tr -d '\\0' < /proc/$1/environ | wc -c)" != 0 ]; }
        while shows_environment "$(cat other)"; do sleep 0.01; done
        inner=$(cat began); outer=$(cat other)
        names() { grep "$1" "$2" | grep "process $inner\\b" | grep -c "process $outer\\b" || cat "$2"; }
        penstock doctor > doctor.txt; names 'cannot tell whether' doctor.txt
        # The operation of the other run asks whether the first process is there, and ends it.
        penstock run case.yaml > run.txt 2>&1; names 'cannot tell whether the former host left' run.txt
        inner=$outer
        penstock resume > resumed.txt 2>&1; names 'cannot tell whether the former host left' resumed.txt
        """)
    #expect(outcome.output == "1\n1\n1\n", "\(outcome.text)")
  }

  /// Pipelines that start `./fatal`, and a command that has to wait for it.
  static let firstActs: [(name: String, pipeline: String, waiting: String)] = [
    ("operation", "operations: [{ name: a, exclusive: disk, command: [./fatal] }]", "run case.yaml"),
    ("operation", "operations: [{ name: a, exclusive: disk, command: [./fatal] }]", "resume"),
    ("item", "operations: [{ name: a, for_each: [1], command: [./fatal] }]", "resume"),
    (
      "handler", "operations: [{ name: b, run: exit 1 }]\nafter: { failure: [{ name: a, command: [./fatal] }] }",
      "resume"
    ),
    ("nested", "operations: [{ name: outer, pipeline: nested.yaml }]", "resume"),
    (
      "secret",
      "overlap: queue\nsecrets: { s: { command: [./fatal] } }\n"
        + "operations: [{ name: a, env: { S: '${{ secrets.s }}' }, run: 'true' }]",
      "run case.yaml"
    ),
  ]

  @Test(
    "is found even if its program kills the host with its first instruction",
    arguments: firstActs.indices)
  func firstAct(_ index: Int) async throws {
    let (_, pipeline, waiting) = Self.firstActs[index]
    try place.write(pipeline + "\n", to: "case.yaml")
    try place.write("operations: [{ name: a, command: [./fatal] }]\n", to: "nested.yaml")
    try place.write(
      """
      #!/bin/sh
      if mkdir first 2> /dev/null; then
        kill -KILL $PPID
        echo $$ > pid; mv pid began
        exec env -i sleep 300 < /dev/null > /dev/null 2>&1
      fi
      { \(Self.question)
      } > answer
      echo something
      """, to: "fatal")
    let outcome = try await place.shell(
      """
      chmod +x fatal
      penstock run case.yaml > first.txt 2>&1
      until [ -e began ] && [ "$(tr -d '\\0' < "/proc/$(cat began)/environ" | wc -c)" = 0 ]; do sleep 0.01; done
      penstock doctor > doctor.txt; grep -c "left over: $(cat began) of run" doctor.txt || cat doctor.txt
      penstock \(waiting) --quiet > second.txt 2>&1
      cat answer || cat first.txt second.txt
      penstock resume --quiet > /dev/null 2>&1
      ls workspace/runs/*/processes 2> /dev/null
      kill -KILL "$(cat began)" 2> /dev/null
      exit 0
      """)
    #expect(outcome.output == "1\ngone\n", "\(outcome.text)")
  }

  @Test(
    "belongs to an attempt in the history, whose number is not used again, even if its program kills the host with its first instruction",
    arguments: [
      "operations: [{ name: a, command: [./fatal] }]",
      "operations: [{ name: b, run: exit 1 }]\nafter: { failure: [{ name: a, command: [./fatal] }] }",
      "operations: [{ name: outer, pipeline: nested.yaml }]",
    ])
  func firstAttempt(_ pipeline: String) async throws {
    try place.write(pipeline + "\n", to: "case.yaml")
    try place.write("operations: [{ name: a, command: [./fatal] }]\n", to: "nested.yaml")
    try place.write(
      """
      #!/bin/sh
      if mkdir first 2> /dev/null; then kill -KILL $PPID; fi
      """, to: "fatal")
    let outcome = try await place.shell(
      """
      chmod +x fatal
      penstock run case.yaml > first.txt 2>&1
      penstock resume --quiet > second.txt 2>&1
      penstock history sql --csv "SELECT number, state, error_code, started_at IS NOT NULL FROM attempts WHERE operation = 'a' ORDER BY number"
      penstock history sql --csv "SELECT attempts, state FROM operations WHERE operation = 'a'" | tail -n 1
      """)
    #expect(
      outcome.output.split(separator: "\n").dropFirst() == ["1,failed,host-died,1", "2,succeeded,,1", "2,succeeded"],
      "\(outcome.text)")
  }

  @Test("is reported by doctor as undetermined if nothing in it names its run")
  func hidden() async throws {
    let variant = Variant(
      testDescription: "",
      command: "env -i setsid sh -c 'echo $$ > pid; mv pid began; exec env -i sleep 300'\(Self.silently) &",
      isLeaderGone: true)
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: """
        penstock doctor > doctor.txt; grep -c "cannot tell .* process $(cat began)" doctor.txt || cat doctor.txt
        """)
    #expect(outcome.output == "1\n", "\(outcome.text)")
  }

  @Test("cannot be judged in another pid namespace, which doctor and resume report")
  func elsewhere() async throws {
    let variant = Variant(testDescription: "", command: Self.worker + " &", isLeaderGone: true)
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: """
        penstock history list > /dev/null
        python3 -c '
        import sqlite3
        db = sqlite3.connect("workspace/workspace.db")
        db.execute("UPDATE run_record SET boot = boot || 1"); db.commit()'
        penstock doctor | grep -c 'another container'
        penstock resume | grep -c 'another container'
        """)
    #expect(outcome.output == "1\n1\n", "\(outcome.text)")
  }

  private static let canBeAnother =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(
    "keeps its run interrupted and its exclusive name taken if it may not be terminated",
    .enabled(if: canBeAnother, "needs root and setpriv"))
  func notPermitted() async throws {
    let variant = Variant(testDescription: "", command: "exec \(Self.worker)\(Self.silently)")
    try place.write(Self.pipeline(variant.command), to: "case.yaml")
    let outcome = try await run(
      variant,
      then: """
        chown -R 12345 .
        another() { setpriv --reuid 12345 --clear-groups penstock "$@"; }
        another resume --quiet 2> resume.txt; echo "resume $?"
        grep -c "cannot end process $(cat began) of user 0, .* is still interrupted" resume.txt || cat resume.txt
        another run --quiet case.yaml > run.txt 2>&1; echo "run $?"
        another run --quiet case.yaml > run.txt 2>&1; echo "run $?"
        grep -c "cannot end process $(cat began) of user 0" run.txt || cat run.txt
        kill -KILL $(cat began); while [ -d /proc/$(cat began) ]; do sleep 0.01; done
        another run --quiet case.yaml; echo "run $?"
        another resume --quiet; echo "resume $?"
        """)
    #expect(outcome.output == "resume 2\n1\nrun 1\nrun 1\n1\nrun 0\nresume 0\n", "\(outcome.text)")
  }
}
