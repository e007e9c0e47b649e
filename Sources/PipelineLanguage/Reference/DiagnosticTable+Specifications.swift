extension DiagnosticTable {
  static let specifications = [
    DiagnosticRow(
      DiagnosticCode.specificationSyntax, "A condition over specifications has invalid syntax.",
      """
      operations:
        - name: upload
          run: ./upload
          run_when: connected and foreground
      """,
      fix:
        "Combine names with `!`, `&&`, `||` and parentheses; see [conditions over specifications](language/conditions.md#conditions-over-specifications)."
    ),
    DiagnosticRow(
      DiagnosticCode.specificationTooLong, "A condition is longer than 21,000 characters.",
      when: "a generated condition with thousands of names.",
      fix: "Name parts of it under `specifications`."),
    DiagnosticRow(
      DiagnosticCode.specificationTooDeep, "`!` and parentheses are nested more than 50 levels deep.",
      when: "a condition with 51 nested parentheses.",
      fix: "Name parts of it under `specifications`."),
    DiagnosticRow(
      DiagnosticCode.specificationTooLarge,
      "Fully expanded, a condition has more than 10,000 terms or 200 levels, because the specifications that it names name others.",
      when: "fifteen specifications, each of which names the previous one twice.",
      fix: "Name each specification once."),
    DiagnosticRow(
      DiagnosticCode.unknownSpecification, "No specification has this name.",
      """
      operations:
        - name: upload
          run: ./upload
          run_when: conected
      """,
      fix: "Use the suggested name, or declare it under [`specifications`](language/conditions.md#specifications)."),
    DiagnosticRow(
      DiagnosticCode.misplacedSpecification, "A specification has no meaning at this place.",
      """
      operations:
        - name: upload
          run: ./upload
          run_when: older-than(1h)
      """,
      fix:
        "Move it: `older-than` belongs under `stale_when`, `reachable` and `peer-success` under `early` of a `retry`."),
    DiagnosticRow(
      DiagnosticCode.wrongArgument, "A specification lacks its argument, or has one that it does not take.",
      """
      operations:
        - name: upload
          run: ./upload
          run_when: connected(eth0)
      """,
      fix: "See [conditions over specifications](language/conditions.md#conditions-over-specifications) for its syntax."
    ),
    DiagnosticRow(
      DiagnosticCode.unusedSpecification, "No condition names the specification.",
      """
      specifications: { online: connected }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Use it in a condition, such as `run_when: online`, or remove it."),
  ]

  static let secrets = [
    DiagnosticRow(
      DiagnosticCode.secretInArguments,
      "A secret is an argument of a program, where every user of the computer can see it.",
      """
      secrets: { token: { env: TOKEN } }
      operations:
        - name: upload
          command: [./upload, "${{ secrets.token }}"]
      """,
      fix: "Pass it with `stdin` or `env`."),
    DiagnosticRow(
      DiagnosticCode.secretExposed, "A secret is used where its value would be recorded or shown.",
      """
      secrets: { token: { env: TOKEN } }
      operations:
        - name: token
          value: ${{ secrets.token }}
      """,
      fix:
        "Use it only where it is passed on or sent: `env`, `inject`, `stdin`, `params` and what `http` sends; see [secrets](language/environment.md#secrets)."
    ),
    DiagnosticRow(
      DiagnosticCode.unknownSecret, "A plugin is given a secret that the pipeline does not declare.",
      """
      plugins: { http: { secrets: [token] } }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Declare it at the top: `secrets: { token: { env: TOKEN } }`."),
  ]
}
