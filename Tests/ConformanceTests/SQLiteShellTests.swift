import Foundation
import Subprocess
import Testing

/// What SQLite's standard shell sees of a workspace while runs write to it.
@Suite("The sqlite3 shell")
struct SQLiteShellTests {
  private static let shell = ["/usr/bin", "/usr/local/bin", "/bin"].map { $0 + "/sqlite3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(
    "can read the workspace at any time, sees it grow, and leaves it unchanged",
    .enabled(if: shell != nil, "there is no sqlite3; `make test` installs it"))
  func reading() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("penstock-shell-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // Two runs write at the same time; the shell reads repeatedly until both have ended.
    let script = """
      cat > case.yaml <<'END'
      operations:
        - name: loop
          for_each: { in: "${{ fromJSON('[\((1...300).map(String.init).joined(separator: ","))]') }}", as: number, concurrency: 2 }
          run: echo line
      END
      penstock run case.yaml --quiet > /dev/null & first=$!
      until sqlite3 -readonly "$PENSTOCK_WORKSPACE/workspace.db" "SELECT 1 FROM attempts" > /dev/null 2>&1; do sleep 0.01; done
      penstock run case.yaml --quiet > /dev/null & second=$!
      looks=0 last=0 seen=0
      while kill -0 $first 2> /dev/null || kill -0 $second 2> /dev/null; do
        count=$(sqlite3 -readonly "$PENSTOCK_WORKSPACE/workspace.db" "SELECT count(*) FROM attempts") || exit 1
        [ "$count" -ge "$last" ] || { echo "fewer than before: $count after $last"; exit 1; }
        [ "$count" -eq "$last" ] || seen=$((seen + 1))
        last=$count looks=$((looks + 1))
      done
      wait $first && wait $second || exit 2
      [ $seen -gt 1 ] || { echo "saw nothing grow in $looks looks"; exit 3; }
      sqlite3 -readonly "$PENSTOCK_WORKSPACE/workspace.db" "PRAGMA integrity_check;
        SELECT state, operations, succeeded FROM runs; SELECT state, count(*) FROM attempts GROUP BY 1;
        SELECT count(*) FROM operations WHERE operation LIKE 'loop[%' AND result = '\\"line\\"'"
      penstock history list --csv | wc -l
      """
    let outcome = try await Subprocess.run(
      .name("timeout"), arguments: ["--kill-after=5", "120", "/bin/sh", "-c", script],
      environment: .inherit.updating([
        "PATH": "\(BuiltPenstock.directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
        "PENSTOCK_WORKSPACE": directory.appendingPathComponent("workspace").path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
      ]),
      workingDirectory: .init(directory.path), input: .none, output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20))
    #expect(outcome.terminationStatus == .exited(0), "\(outcome.standardOutput)\(outcome.standardError)")
    #expect(
      outcome.standardOutput == "ok\nsucceeded|1|1\nsucceeded|1|1\nsucceeded|600\n600\n3\n",
      "\(outcome.standardOutput)\(outcome.standardError)")
  }
}
