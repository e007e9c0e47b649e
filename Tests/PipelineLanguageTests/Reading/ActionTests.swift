import Testing

@testable import Expressions
@testable import PipelineLanguage

@Suite("Actions")
struct ActionTests {
  @Test("an operation has exactly one action")
  func exactlyOne() {
    #expect(
      findings(inOperation: "timeout: 3s") == [
        "2:11 no-action operation 'x' does nothing: it needs one of run, command, http, uses, value, wait, pipeline, approve"
      ])
    #expect(
      findings(inOperation: "run: ls", "command: [ls]") == [
        "4:5 several-actions operation 'x' has both 'run' and 'command' (make them two operations)"
      ])
  }

  @Test("a script is taken literally")
  func scripts() throws {
    let operation = try operation("run: |", "  echo '{{ $x }}'", "  ls")
    guard case .run(let script) = operation.action else { return #expect(Bool(false), "not a script") }
    #expect(script == "echo '{{ $x }}'\nls\n")
    #expect(operation.shell == ["/bin/sh", "-e", "-c"])
  }

  @Test("an expression in a script is an error at its place")
  func expressionInScript() {
    #expect(
      findings(inOperation: "run: |", "  set -e", "  echo ${{ params.x }} done") == [
        #"5:12 expression-in-script a script cannot contain an expression: its value would become program text (use inject: or env:, and read it as "$name")"#
      ])
  }

  @Test(
    "a shebang that names an interpreter other than the shell is an error",
    arguments: [
      ("run: |\n      #!/usr/bin/env python3\n      print(1)", "python3", "/bin/sh", "write 'shell: [python3, -c]'"),
      ("run: |\n      #!/bin/bash -eu\n      ls", "/bin/bash", "/bin/sh", "write 'shell: [/bin/bash, -eu, -c]'"),
      ("run: '#!/bin/sh -x'", "/bin/sh", "/bin/sh", "write 'shell: [/bin/sh, -x, -c]'"),
      ("run: '#! /usr/bin/env -S A=b perl -w'", "perl", "/bin/sh", "write 'shell: [perl, -w, -e]'"),
      (
        "run: '#!/usr/bin/tclsh'", "/usr/bin/tclsh", "/bin/sh",
        "remove the line, or put the script into a file and run it with 'command'"
      ),
      ("run: '#!/bin/sh'\n    shell: bash", "/bin/sh", "bash", "write 'shell: [/bin/sh, -c]'"),
    ])
  func shebangs(keys: String, program: String, shell: String, fix: String) {
    let found = findings(inOperation: keys)
    #expect(found.count == 1)
    #expect(
      found.first?.hasSuffix(
        " shebang the first line names '\(program)', but '\(shell)' runs the script (\(fix))") == true, "\(found)")
  }

  @Test(
    "a shebang that names the shell is a comment",
    arguments: [
      "run: '#!/bin/sh'", "run: '#!/bin/sh -e'", "run: '#!'", "run: '# !/bin/bash'",
      "run: '#!/usr/bin/env bash'\n    shell: bash", "shell: [bash, -euo, pipefail, -c]\n    run: '#!/bin/bash -eu'",
      "shell: [env, python3, -c]\n    run: '#!/usr/bin/env python3'",
    ])
  func agreeingShebangs(keys: String) {
    #expect(findings(inOperation: keys) == [])
  }

  @Test("a command is a list; a text is not split")
  func commands() throws {
    #expect(
      findings(inOperation: "command: ls -l") == [
        "3:14 wrong-form 'command' needs a list of arguments, found 'ls -l' (write a list such as [ls, -l], or use 'run' for a shell)"
      ])
    #expect(
      findings(inOperation: "command: []") == [
        "3:14 wrong-form 'command' needs at least a program, found an empty list"
      ])
    #expect(
      findings(inOperation: "command: ['', -l]") == [
        "3:15 wrong-form 'command' needs the name of a program first, found ''"
      ])
    guard case .command(let arguments) = try operation("command: [echo, 12, true, 'a b']").action else {
      return #expect(Bool(false), "not a command")
    }
    #expect(arguments.map(\.text) == ["echo", "12", "true", "a b"])
  }

  @Test("a wait is a duration or an instant")
  func waits() throws {
    guard case .wait(.duration(let duration)) = try operation("wait: 5s").action else {
      return #expect(Bool(false), "not a duration")
    }
    #expect(duration.text == "5s")
    guard case .wait(.until(let instant)) = try operation("wait: {until: 2026-01-31T08:00:00Z}").action else {
      return #expect(Bool(false), "not an instant")
    }
    #expect(instant.text == "2026-01-31T08:00:00Z")
    #expect(
      findings(inOperation: "wait: 5") == [
        "3:11 invalid-duration 'wait' needs a duration with its unit, found '5' (for seconds write '5s')"
      ])
    #expect(
      findings(inOperation: "wait: 2026-01-31T08:00:00Z") == [
        "3:11 invalid-duration 'wait' needs a duration, found the instant '2026-01-31T08:00:00Z' (write 'wait: {until: 2026-01-31T08:00:00Z}')"
      ])
    #expect(
      findings(inOperation: "wait: {until: tomorrow}") == [
        "3:19 invalid-timestamp 'until' needs an instant, found 'tomorrow' (write it like '2026-01-31T08:00:00Z')"
      ])
    #expect(
      findings(inOperation: "wait: {}") == [
        "3:11 wrong-form 'wait' needs exactly one of 'for' and 'until', found a mapping"
      ])
  }

  @Test("an approval has an optional message")
  func approvals() throws {
    guard case .approve(let message?) = try operation("approve: Deploy?").action else {
      return #expect(Bool(false), "no message")
    }
    #expect(message.text == "Deploy?")
    guard case .approve(nil) = try operation("approve: {}").action else {
      return #expect(Bool(false), "a message")
    }
    guard case .approve(_?) = try operation("approve: {message: Go}").action else {
      return #expect(Bool(false), "no message")
    }
  }

  @Test("a key that does not apply to the action is an error")
  func misplacedKeys() {
    #expect(
      findings(inOperation: "command: [ls]", "shell: bash") == ["4:5 misplaced-key 'shell' has no effect on 'command'"])
    #expect(
      findings(inOperation: "wait: 1s", "result: string") == ["4:5 misplaced-key 'result' has no effect on 'wait'"])
    #expect(
      findings(inOperation: "run: ls", "params: {a: 1}") == ["4:5 misplaced-key 'params' has no effect on 'run'"])
  }

  @Test("a value keeps the form of its data")
  func values() throws {
    guard case .value(.literal(let value)) = try operation("value: {a: [1, 2.5, x, true, null]}").action else {
      return #expect(Bool(false), "not a literal")
    }
    #expect(value == ["a": [1, 2.5, "x", true, .null]])
  }
}
