extension DiagnosticTable {
  static let keys = [
    DiagnosticRow(
      DiagnosticCode.unknownKey, "A mapping has an unknown key.",
      """
      operations:
        - name: hello
          run: echo hello
          timeuot: 30s
      """,
      fix: "Use the suggested key; [all keys](language.md#all-keys) lists them."),
    DiagnosticRow(
      DiagnosticCode.misplacedKey, "A key of the language has no effect at this place.",
      """
      operations:
        - name: hello
          value: hello
          shell: bash
      """,
      fix: "Remove the key, or move it to the place that [all keys](language.md#all-keys) shows."),
    DiagnosticRow(
      DiagnosticCode.missingKey, "A mapping lacks a key that it needs.",
      """
      operations:
        - run: echo hello
      """,
      fix: "Add the key that the message names."),
    DiagnosticRow(
      DiagnosticCode.notAvailable, "The key belongs to the language, but this version does not support it.",
      """
      operations:
        - name: hello
          run: echo hello
          rerun_on_change: connected
      """,
      fix: "Remove the key; see [what is not supported yet](language.md#not-supported-yet)."),
    DiagnosticRow(
      DiagnosticCode.wrongForm,
      "A value has a different form from the one that its key needs, such as a list instead of a string.",
      """
      operations:
        hello: { run: echo hello }
      """,
      fix: "Write the value in the form that the message names."),
    DiagnosticRow(
      DiagnosticCode.unknownWord, "A value is not one of the words that its key allows.",
      """
      overlap: wait
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Use one of the words in the message."),
    DiagnosticRow(
      DiagnosticCode.outOfRange, "A number or a duration is too small or too large for its key.",
      """
      concurrency: 0
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Use a value within the bounds in the message."),
    DiagnosticRow(
      DiagnosticCode.invalidDuration, "A string is not a duration.",
      """
      operations:
        - name: hello
          run: echo hello
          timeout: 30
      """,
      fix: "Write numbers with their units: `30s`, `1h30m`, `200ms`."),
    DiagnosticRow(
      DiagnosticCode.invalidTimestamp, "A string is not an instant.",
      """
      operations:
        - name: pause
          wait: { until: tomorrow }
      """,
      fix: "Write date, time and zone as RFC 3339 does: `2026-12-24T18:00:00+01:00`."),
    DiagnosticRow(
      DiagnosticCode.invalidSize, "A string is not a size in bytes.",
      """
      plugins:
        lines: { limits: { memory: lots } }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Write the number with its unit: `64MiB`, `1GB`."),
    DiagnosticRow(
      DiagnosticCode.invalidNumber, "A number cannot be written in JSON, in which values are stored.",
      """
      operations:
        - name: limit
          value: .inf
      """,
      fix: "Put it in quotes to make it a string, or use a finite number."),
    DiagnosticRow(
      DiagnosticCode.invalidName, "A name has characters that are not allowed in names of its kind.",
      """
      operations:
        - name: say hello
          run: echo hello
      """,
      fix: "Use letters, digits, `_` and `-`, as the message says for the kind of name."),
    DiagnosticRow(
      DiagnosticCode.reservedName, "A name already means something to the language or the engine.",
      """
      env: { PENSTOCK_RUN: mine }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Choose another name."),
    DiagnosticRow(
      DiagnosticCode.duplicateName,
      "Two things of the same kind have the same name, or names that differ only in case.",
      """
      operations:
        - { name: hello, run: echo hello }
        - { name: Hello, run: echo hello }
      """,
      fix: "Rename one of the two."),
  ]

  static let params = [
    DiagnosticRow(
      DiagnosticCode.invalidDefault, "The default of a param is not a value that the param accepts.",
      """
      params:
        limit: { type: int, default: many }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Change the default or what the param accepts: its `type`, `min`, `max`, `enum` or `pattern`."),
    DiagnosticRow(
      DiagnosticCode.invalidParam, "A file of params has a value that the param does not accept.",
      """
      params:
        limit: { type: int }
      params_file: values.yaml
      operations:
        - { name: hello, run: echo hello }
      """,
      others: ["values.yaml": "limit: many\n"],
      fix: "Change the value or what the param accepts: its `type`, `min`, `max`, `enum` or `pattern`."),
    DiagnosticRow(
      DiagnosticCode.dotenvSyntax,
      "A file of `NAME=value` lines has a line that cannot be read. A warning: it has `${` or `$(`, which other readers expand.",
      """
      params: { region: string }
      params_file: values.env
      operations:
        - { name: hello, run: echo hello }
      """,
      others: ["values.env": "region: eu\n"],
      fix:
        "See [params and variables in files](language/inputs.md#files-of-params-and-variables) for the syntax of a line."
    ),
    DiagnosticRow(
      DiagnosticCode.invalidPattern, "The `pattern` of a param cannot be read.",
      """
      params:
        tag: { pattern: "v[0-9" }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Correct the pattern; [params](language/inputs.md#params) describes what it may contain."),
    DiagnosticRow(
      DiagnosticCode.unknownParam, "A nested pipeline or a file of params sets a param that is not declared.",
      """
      operations:
        - name: greet
          pipeline: greet.yaml
          params: { nme: Ada }
      """,
      others: ["greet.yaml": "params: { name: {} }\noperations: [{ name: hello, run: echo hello }]\n"],
      fix: "Correct the name, or declare the param."),
    DiagnosticRow(
      DiagnosticCode.missingParam, "A nested pipeline is not given a param that has no default.",
      """
      operations:
        - name: greet
          pipeline: greet.yaml
      """,
      others: ["greet.yaml": "params: { name: {} }\noperations: [{ name: hello, run: echo hello }]\n"],
      fix: "Add the param under `params`, or give it a default in the nested pipeline."),
    DiagnosticRow(
      DiagnosticCode.severalParams, "`params` is given both inside `pipeline` and next to it.",
      """
      operations:
        - name: greet
          pipeline: { file: greet.yaml, params: { name: Ada } }
          params: { name: Ada }
      """,
      others: ["greet.yaml": "params: { name: {} }\noperations: [{ name: hello, run: echo hello }]\n"],
      fix: "Keep one of the two."),
    DiagnosticRow(
      DiagnosticCode.recursivePipeline, "A pipeline runs itself, directly or through others.",
      """
      operations:
        - name: again
          pipeline: example.yaml
      """,
      fix:
        "Repeat an operation with [`repeat`](language/loops.md#repetition-repeat), or over a list with [`for_each`](language/loops.md)."
    ),
  ]
}
