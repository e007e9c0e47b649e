extension DiagnosticTable {
  static let operations = [
    DiagnosticRow(
      DiagnosticCode.unknownTemplate, "No template of this name can be extended here.",
      """
      templates:
        greeting: { run: echo hello }
      operations:
        - name: hello
          extends: greting
      """,
      fix:
        "Correct the name, or include the file that has the template. A template can extend templates of its own file and of the files that it includes: see [shared files](language/shared-files.md#templates-and-extends)."
    ),
    DiagnosticRow(
      DiagnosticCode.recursiveTemplate, "A template extends itself, directly or through others.",
      """
      templates:
        greeting: { extends: greeting, run: echo hello }
      operations:
        - name: hello
          extends: greeting
      """,
      fix: "Remove one `extends`."),
    DiagnosticRow(
      DiagnosticCode.noAction, "An operation does nothing: it has no action.",
      """
      operations:
        - name: hello
          timeout: 30s
      """,
      fix: "Give it exactly one action, such as `run`; [operations](language/operations.md) lists them."),
    DiagnosticRow(
      DiagnosticCode.severalActions, "An operation has more than one action.",
      """
      operations:
        - name: hello
          run: echo hello
          value: hello
      """,
      fix: "Split it into two operations, of which the second one needs the first."),
    DiagnosticRow(
      DiagnosticCode.shebang, "The first line of a script names another interpreter than the shell that runs it.",
      """
      operations:
        - name: hello
          run: |
            #!/usr/bin/env python3
            print("hello")
      """,
      fix:
        "Name the interpreter with [`shell`](language/operations.md#shell-scripts-run), as in `shell: [python3, -c]`, or remove the line."
    ),
    DiagnosticRow(
      DiagnosticCode.severalLoops, "An operation has both `for_each` and `matrix`.",
      """
      operations:
        - name: hello
          run: echo hello
          for_each: [1, 2]
          matrix: { size: [1, 2] }
      """,
      fix: "Make the list a dimension of the matrix."),
    DiagnosticRow(
      DiagnosticCode.tooManyItems, "A matrix has more than 100,000 combinations.",
      when: "a matrix of two lists of 317 items each.",
      fix: "Shorten the lists, or split the matrix into several operations."),
    DiagnosticRow(
      DiagnosticCode.excludesNothing, "An entry of `exclude` names a value that its list does not have.",
      """
      operations:
        - name: hello
          run: echo hello
          matrix:
            system: [linux, freebsd]
            exclude: [{ system: linus }]
      """,
      fix: "Use the suggested value, or remove the entry. `1` and `\"1\"` are different values."),
    DiagnosticRow(
      DiagnosticCode.endlessRepeat, "`repeat` says neither when to stop nor how often to run.",
      """
      operations:
        - name: poll
          run: ./poll
          repeat: { every: 5s }
      """,
      fix: "Add `until`, `limit` or both."),
    DiagnosticRow(
      DiagnosticCode.unknownOperation, "No operation has this name.",
      """
      operations:
        - { name: fetch, run: curl example.org }
        - { name: count, run: wc -l, inject: fetsh }
      """,
      fix: "Use the suggested name. Handlers under `after` cannot be referred to."),
    DiagnosticRow(
      DiagnosticCode.unclearDependency,
      "An expression uses a context such as `results` as a whole, which does not say what the operation depends on.",
      """
      operations:
        - { name: fetch, run: curl example.org }
        - { name: show, value: "${{ toJSON(results) }}" }
      """,
      fix: "Name the operations: `results.fetch`."),
    DiagnosticRow(
      DiagnosticCode.cycle, "Operations or specifications depend on each other in a circle.",
      """
      operations:
        - { name: hen, run: "true", needs: egg }
        - { name: egg, run: "true", needs: hen }
      """,
      fix: "Remove one of the dependencies that the message shows as `a → b → a`."),
    DiagnosticRow(
      DiagnosticCode.neverRuns, "An operation cannot run in any run of the pipeline.",
      """
      operations:
        - name: hello
          run: echo hello
          when: 1 > 2
      """,
      fix: "Correct `when` or `run_when`, or remove the operation."),
    DiagnosticRow(
      DiagnosticCode.unknownResource,
      "An operation takes a resource that neither the pipeline nor, if one is given, the host declares.",
      """
      operations:
        - name: train
          run: ./train
          resources: { gpu: 1 }
      """,
      fix:
        "Declare it at the top: `resources: { gpu: 1 }`; or check the file with the [host](host.md) that declares it."),
    DiagnosticRow(
      DiagnosticCode.unknownQueue, "A pipeline names a queue that the given host does not have.",
      """
      queue: heavi
      operations:
        - { name: train, run: ./train }
      """,
      others: [DiagnosticRow.hostFile: "queues:\n  heavy: { runs: 1 }\n"],
      fix: "Correct the name, or declare the queue in the [host file](host.md#queues)."),
    DiagnosticRow(
      DiagnosticCode.exclusiveOrder,
      "Operations that can run at the same time take the same two things (exclusive names, resources, the only slot of a run) in opposite orders, so that they can wait for each other forever.",
      """
      operations:
        - { name: first, exclusive: database, pipeline: disk.yaml }
        - { name: second, exclusive: disk, pipeline: database.yaml }
      """,
      others: [
        "disk.yaml": "operations: [{ name: work, exclusive: disk, run: ./work }]\n",
        "database.yaml": "operations: [{ name: work, exclusive: database, run: ./work }]\n",
      ],
      fix: "Take them in the same order everywhere, or let one operation need the other."),
    DiagnosticRow(
      DiagnosticCode.invalidArtifact,
      "The path of an artifact leads out of the directory in which the process starts, or is that directory.",
      """
      operations:
        - name: build
          run: ./build
          artifacts: { app: ../build/app }
      """,
      fix:
        "Write a path below the directory, and set `directory` if the files are elsewhere."),
  ]

  static let types = [
    DiagnosticRow(
      DiagnosticCode.invalidType, "A string is not a type.",
      """
      operations:
        - name: count
          run: wc -l
          result: integer
      """,
      fix: "Use one of the [types](language/results.md#types)."),
    DiagnosticRow(
      DiagnosticCode.typeMismatch, "A value has a different type from the one that is needed at its place.",
      """
      operations:
        - name: count
          value: many
          result: int
      """,
      fix: "Change the value, convert it, or declare its type."),
    DiagnosticRow(
      DiagnosticCode.noResult, "Something uses the result of an operation that has none.",
      """
      operations:
        - { name: pause, wait: 5s }
        - { name: show, value: "${{ results.pause }}" }
      """,
      fix: "Use `needs` to run after it."),
    DiagnosticRow(
      DiagnosticCode.undeclaredResult,
      "An operation that declares no result has a string as its result, but the expression probably needs a boolean or the files that the operation keeps.",
      """
      operations:
        - { name: changed, run: echo false }
        - { name: deploy, run: ./deploy, when: "${{ results.changed }}" }
      """,
      fix: "Declare the [`result`](language/results.md#results-result) of the process, such as `result: bool`."),
    DiagnosticRow(
      DiagnosticCode.nothingInjected, "An operation requires a value, and nothing is injected.",
      """
      operations:
        - name: count
          run: wc -l
          requires: string
      """,
      fix: "Add [`inject`](language/inputs.md#injection-inject), or remove `requires`."),
    DiagnosticRow(
      DiagnosticCode.nothingRequired, "A value is injected into a plugin operation that takes none.",
      when: "`inject` with `uses` of an operation whose plugin declares no requirement.",
      fix:
        "Remove `inject`; use `needs` to run after the other operation. `penstock plugins inspect PLUGIN` shows what it takes."
    ),
    DiagnosticRow(
      DiagnosticCode.stdinTaken, "Both `stdin` and an injected value would be standard input.",
      """
      operations:
        - { name: fetch, run: curl example.org }
        - { name: count, run: wc -l, stdin: text, inject: fetch }
      """,
      fix: "Give the injected value a name, or remove `stdin`."),
  ]
}
