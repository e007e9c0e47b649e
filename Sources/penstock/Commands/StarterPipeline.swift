/// The file written by `penstock init`: small, commented, and runnable without changes.
enum StarterPipeline {
  /// Returns the name of the pipeline for a file: the file's name, with characters that a name must not have replaced.
  static func name(forFile path: String) -> String {
    var name = path.split(separator: "/").last.map(String.init) ?? ""
    for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    let spelt = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-" })
    return spelt.first?.isLetter == true ? spelt : "pipeline"
  }

  /// Returns the text of the file.
  static func text(name: String) -> String {
    """
    # A pipeline: operations, and what each one needs from the others.
    # Check it with `penstock check`, see its shape with `penstock graph`, run it with `penstock run`.
    name: \(name)

    # Values given at the start: penstock run FILE -p who=you
    params:
      who: { type: string, default: world, description: Whom to greet }

    operations:
      # `run` is a script for the shell. What it prints is its result.
      - name: list
        run: ls

      # `inject` hands a result over. Without a name it arrives on standard input;
      # `result` declares its type, which is checked before it is handed on.
      - name: count
        inject: ${{ results.list }}
        run: grep -c ''
        result: int
        retry: 2                # two more attempts if it fails

      # Several results arrive under names, as environment variables: never as part of the script.
      # A result that is declared, and that nothing else needs, is printed at the end of the run.
      - name: greet
        inject:
          files: ${{ results.count }}
          who: ${{ params.who }}
        run: printf 'Hello %s, there are %s files here\\n' "$who" "$files"
        result: string

    # Handlers run once the operations have ended.
    after:
      failure:
        - name: report
          run: echo "something failed; see penstock explain last"

    """
  }
}
