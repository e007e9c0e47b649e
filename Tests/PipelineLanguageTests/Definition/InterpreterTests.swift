import Testing

@testable import PipelineLanguage

@Suite("Arguments that are code")
struct InterpreterTests {
  /// Returns the arguments that are code in a command whose words are separated by blanks.
  private func code(_ command: String) -> [String] {
    let words = command.split(separator: " ").map(String.init)
    return Interpreter.use(in: words)?.places.map { words[$0] } ?? []
  }

  @Test(
    "follow the option of the interpreter, in any spelling",
    arguments: [
      "sh -c CODE", "/bin/sh -c CODE sh ARGUMENT", "bash -ec CODE", "bash -euo pipefail -c CODE", "bash -c -e CODE",
      "bash --norc --rcfile FILE -c CODE", "zsh -fc -- CODE", "dash +x -c CODE", "ksh93 -c CODE", "env sh -c CODE",
      "/usr/bin/env -i -u NAME A=b env sh -c CODE", "fish -c CODE", "fish -N --command CODE",
      "fish -d 3 --command=CODE",
      "python3 -c CODE -c ARGUMENT", "/usr/local/bin/python3.12 -W error -Ic CODE", "python -cCODE", "perl -e CODE",
      "perl -MList::Util -I lib -lane CODE file", "perl -i.bak -pe CODE", "ruby -rjson -ne CODE", "node -e CODE",
      "node -pe CODE", "node -p -e CODE", "node --require M --eval=CODE", "awk CODE file", "awk -F : -v A=b CODE file",
      "gawk -F: --source CODE",
    ])
  func found(command: String) {
    let found = code(command)
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix("CODE") == true)
  }

  @Test(
    "do not occur in other commands, or after the code itself",
    arguments: [
      "echo -c X", "sh script -c X", "sh -e script", "sh", "sh -c", "python3 script.py -c X", "python3 -m module -c X",
      "perl script -e X", "perl -ie script", "node script.js -e X", "awk -f program file", "env", "env -S sh",
      "env A=b",
      "env -u", "ssh host X", "bash -o errexit script",
    ])
  func other(command: String) {
    #expect(code(command) == [])
  }

  @Test("may be several") func several() {
    #expect(code("perl -e ONE -E TWO file") == ["ONE", "TWO"])
    #expect(code("fish -C ONE -c TWO") == ["ONE", "TWO"])
  }

  @Test("yield a warning if a value becomes part of them")
  func warnings() {
    #expect(
      findings(inOperation: "command: [sh, -c, 'echo ${{ run.pipeline }} ${{ run.attempt }}']") == [
        #"3:33 warning expression-in-code 'sh' runs this argument as code, and the value becomes part of it (make it an argument after the code, as in [sh, -c, 'echo "$1"', sh, "${{ run.pipeline }}"])"#
      ])
    #expect(
      findings(inOperation: "command: [awk, '{ print \"${{ toJSON(run) }}\" }']") == [
        #"3:34 warning expression-in-code 'awk' runs this argument as code, and the value becomes part of it (name it with 'inject' or 'env', and read it as ENVIRON["name"])"#
      ])
  }

  @Test(
    "yield no warning if no value can be code",
    arguments: [
      #"[sh, -c, 'echo "$1"', sh, "${{ run.pipeline }}"]"#, #"[sh, -c, "echo ${{ 'literal' }}"]"#,
      #"[sh, -c, "echo ${{ run.attempt }} ${{ run.attempt > 1 }} ${{ run.at }}"]"#,
      #"[echo, -c, "${{ run.pipeline }}"]"#,
      #"["${{ run.pipeline }}", -c, "${{ run.pipeline }}"]"#,
    ])
  func quiet(command: String) {
    #expect(findings(inOperation: "command: \(command)") == [])
  }
}
