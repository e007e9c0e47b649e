import Testing

@testable import penstock

@Suite("Commands that messages suggest")
struct CommandHintTests {
  @Test(
    "get the workspace or the host that the command was given",
    arguments: [
      (["history", "show", "--workspace", "a b", "last"], " --workspace 'a b'"),
      (["run", "--workspace=w"], " --workspace w"),
      (["run", "--workspace"], ""), (["eval", "--", "--workspace", "w"], ""), (["status"], ""),
      (["status", "--config", "/etc/penstock/host.yaml"], " --config /etc/penstock/host.yaml"),
      (["status", "--config=h.yaml", "--workspace", "w"], " --workspace w"),
    ])
  func workspace(words: [String], option: String) {
    #expect(CommandHint.workspace(in: words) == option)
  }

  @Test(
    "are completed where a message quotes them",
    arguments: [
      (
        "run `penstock explain x`, then `penstock retry x`",
        "run `penstock explain x --workspace w`, then `penstock retry x --workspace w`"
      ),
      ("create one with `penstock init FILE`", "create one with `penstock init FILE`"),
      ("use `penstock run --workspace v`", "use `penstock run --workspace v`"),
      ("`make` and `penstock run", "`make` and `penstock run"),
      ("no command", "no command"),
    ])
  func messages(message: String, shown: String) {
    #expect(CommandHint.complete(message, workspace: " --workspace w") == shown)
    #expect(CommandHint.complete(message, workspace: "") == message)
  }
}
