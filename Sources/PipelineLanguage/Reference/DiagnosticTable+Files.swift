extension DiagnosticTable {
  static let files = [
    DiagnosticRow(
      DiagnosticCode.fileNotFound, "The path does not name a file.",
      """
      operations:
        - name: nightly
          pipeline: absent.yaml
      """,
      fix:
        "Correct the path. The path of a nested pipeline, and of a file of params or variables, starts from the directory of the file that names it."
    ),
    DiagnosticRow(
      DiagnosticCode.fileUnreadable, "The path cannot be read as a pipeline file.",
      """
      operations:
        - name: nightly
          pipeline: /
      """,
      fix: "Name a regular file that you are allowed to read, not a directory or, for a nested pipeline, a pipe."),
    DiagnosticRow(
      DiagnosticCode.systemLimit,
      "The system cannot open another file; there is not necessarily anything wrong with this one.",
      when: "a check by a process that has reached its limit of open files.",
      fix: "Raise `ulimit -n`, or check again after other programs have closed files."),
    DiagnosticRow(
      DiagnosticCode.fileTooLarge, "The file is larger than 16 MiB.",
      when: "a log that was pasted into a pipeline file.",
      fix:
        "Move data into files of its own, and operations into [nested pipelines](language/shared-files.md#nested-pipelines-pipeline)."
    ),
    DiagnosticRow(
      DiagnosticCode.invalidUTF8, "The file is not UTF-8 text.",
      when: "a file that was saved as UTF-16 or in an 8-bit encoding such as Latin-1.",
      fix: "Save the file as UTF-8."),
    DiagnosticRow(
      DiagnosticCode.emptyFile, "The file contains only white space and comments.",
      """
      # to be written
      """,
      fix: "Begin with `operations:`."),
    DiagnosticRow(
      DiagnosticCode.notPipeline,
      "The file has no operations of its own: it is a file that pipelines include, or a host file.",
      """
      defaults:
        timeout: 30s
      """,
      fix:
        "Run a pipeline that names the file under [`include`](language/shared-files.md#shared-files-include), or add `operations`. To check a [host file](host.md), use `penstock check --config`."
    ),
    DiagnosticRow(
      DiagnosticCode.recursiveInclude, "A file includes itself, directly or through others.",
      """
      include: shared.yaml
      operations:
        - { name: hello, run: echo hello }
      """,
      others: ["shared.yaml": "include: shared.yaml\ndefaults: { timeout: 30s }\n"],
      fix: "Remove the path from one of the files."),
    DiagnosticRow(
      DiagnosticCode.includeLimit,
      "More than 100 files are included, more than 20 deep, or with more than 16 MiB together; or more than 20 templates extend one another, or more than 1,000,000 nodes are taken from templates.",
      when: "a file that includes another one, and so on through 21 files.",
      fix: "Use fewer shared files and templates."),
  ]

  static let yaml = [
    DiagnosticRow(
      DiagnosticCode.yamlSyntax, "The file is not valid YAML.",
      """
      operations:
        - { name: hello, run: echo hello
      """,
      fix: "Correct the YAML at this place or, if a bracket or quote is not closed, before it."),
    DiagnosticRow(
      DiagnosticCode.multipleDocuments, "A second YAML document begins in the file.",
      """
      operations:
        - { name: hello, run: echo hello }
      ---
      operations:
        - { name: bye, run: echo bye }
      """,
      fix: "Put each pipeline into a file of its own."),
    DiagnosticRow(
      DiagnosticCode.duplicateKey, "A mapping has the same key twice.",
      """
      operations:
        - name: hello
          run: echo hello
          run: echo bye
      """,
      fix: "Remove one of the two."),
    DiagnosticRow(
      DiagnosticCode.keyNotScalar, "A key is a list or a mapping.",
      """
      operations:
        - name: hello
          value: { [a, b]: 1 }
      """,
      fix: "Write the key as a string, in quotes if necessary."),
    DiagnosticRow(
      DiagnosticCode.mergeKey, "The key `<<` would merge mappings in YAML 1.1, but YAML 1.2 has no such key.",
      """
      env: &common { LC_ALL: C }
      operations:
        - name: hello
          run: echo hello
          env: { <<: *common }
      """,
      fix:
        "Write the keys out, or put them into [`defaults`](language/shared-files.md#defaults), a top-level `env`, or a template that operations [extend](language/shared-files.md#templates-and-extends)."
    ),
    DiagnosticRow(
      DiagnosticCode.tagUnsupported, "A tag is not part of the YAML core schema.",
      """
      operations:
        - name: hello
          value: !secret hello
      """,
      fix: "Remove the tag. Put a string that begins with `!`, such as a condition, in quotes."),
    DiagnosticRow(
      DiagnosticCode.tagMismatch, "The value cannot be read as its tag says.",
      """
      operations:
        - name: count
          value: !!int many
      """,
      fix: "Remove the tag, or change the value."),
    DiagnosticRow(
      DiagnosticCode.unknownAlias, "There is no anchor of this name before the alias.",
      """
      operations:
        - name: hello
          value: *greeting
      """,
      fix: "Put the anchor (`&greeting`) before its aliases. Put a string that begins with `*` in quotes."),
    DiagnosticRow(
      DiagnosticCode.recursiveAlias, "An alias is inside the node that its anchor names.",
      """
      operations:
        - name: hello
          value: &list [1, *list]
      """,
      fix: "Write the value out."),
    DiagnosticRow(
      DiagnosticCode.aliasExpansion, "The aliases expand to more than 100,000 nodes.",
      """
      operations:
        - name: a
          value: &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        - name: b
          value: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
        - name: c
          value: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
        - name: d
          value: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
        - name: e
          value: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
      """,
      fix: "Use fewer aliases of aliases, or compute the data in an operation."),
    DiagnosticRow(
      DiagnosticCode.nestingTooDeep,
      "Lists and mappings are nested more than 100 levels deep, or pipelines more than 20.",
      when: "a file with 101 nested brackets.",
      fix: "Reduce the nesting. The result of an operation can be nested more deeply."),
  ]
}
