import Expressions

extension DiagnosticTable {
  static let expressions = [
    DiagnosticRow(
      ExpressionCode.syntax, "An expression cannot be read.",
      """
      operations:
        - name: sum
          value: ${{ 1 +2 }}
      """,
      fix: "Correct it; [expressions](language/expressions.md) lists the operators and functions."),
    DiagnosticRow(
      ExpressionCode.notClosed, "`${{` has no `}}` behind it.",
      """
      operations:
        - name: hello
          value: ${{ run.id
      """,
      fix: "End the expression with `}}`."),
    DiagnosticRow(
      ExpressionCode.tooLong, "An expression is longer than 21,000 characters.",
      when: "a document as a literal in an expression.",
      fix: "Compute the value in an operation, or keep the data in a param or a file."),
    DiagnosticRow(
      ExpressionCode.tooDeep, "Operators, calls, lists and indexes are nested more than 50 levels deep.",
      when: "an expression with 51 `!` in a row.",
      fix: "Split the expression over several operations with `value`."),
    DiagnosticRow(
      ExpressionCode.unknownFunction, "No function has this name.",
      """
      operations:
        - name: count
          value: ${{ size(run.id) }}
      """,
      fix: "Use one of the [functions](language/expressions.md#functions)."),
    DiagnosticRow(
      ExpressionCode.argumentCount, "A function is given too many or too few arguments.",
      """
      operations:
        - name: count
          value: ${{ length() }}
      """,
      fix: "Give the number of arguments that the function takes."),
    DiagnosticRow(
      ExpressionCode.argumentType,
      "A function or an operator is given a value of a type, or of a form, that it does not take.",
      """
      operations:
        - name: count
          value: ${{ length(12) }}
      """,
      fix: "Give a value of the type in the message; `toJSON` makes a string of anything."),
    DiagnosticRow(
      ExpressionCode.formatString,
      "The format given to `format` or `formatDate` cannot be read, or does not fit the other arguments.",
      """
      operations:
        - name: hello
          value: ${{ format('run {1}', run.id) }}
      """,
      fix:
        "Count the arguments of `format` from `{0}`, and double a brace to include it in the text. For `formatDate`, use the conversions in the message."
    ),
    DiagnosticRow(
      ExpressionCode.invalidJSON, "The text given to `fromJSON` is not JSON.",
      """
      operations:
        - name: list
          value: ${{ fromJSON('[1, 2') }}
      """,
      fix: "Correct the JSON, or write the value without `fromJSON`."),
    DiagnosticRow(
      ExpressionCode.unknownContext, "No context has this name.",
      """
      operations:
        - name: hello
          value: ${{ result.fetch }}
      """,
      fix:
        "Use one of the [contexts](language/expressions.md#contexts): `params`, `env`, `secrets`, `results`, `errors`, `operations`, `run`, `item`."
    ),
    DiagnosticRow(
      DiagnosticCode.contextNotAvailable, "The context exists, but is not available at this place.",
      """
      operations:
        - name: hello
          value: ${{ item }}
      """,
      fix: "The message says why. `item`, for instance, needs `for_each` or `matrix`."),
    DiagnosticRow(
      ExpressionCode.unknownMember, "A context or an object has no member of this name.",
      """
      params: { limit: { default: "20" } }
      operations:
        - name: hello
          value: ${{ params.limt }}
      """,
      fix: "Use the suggested name, or declare the member: as a param, a variable or a field of the `result` type."),
    DiagnosticRow(
      ExpressionCode.noMembers, "A value that is not an object is asked for a member.",
      """
      operations:
        - name: hello
          value: ${{ run.id.length }}
      """,
      fix: "Remove the member. For the members of a list's items write `list.*.name`, for one item `list[0].name`."),
    DiagnosticRow(
      ExpressionCode.indexType, "An index is neither a number nor a name.",
      """
      operations:
        - { name: list, value: [1, 2], result: "[int]" }
        - { name: first, value: "${{ results.list[results.list] }}" }
      """,
      fix: "Use a number from 0 in a list, and a name in an object."),
    DiagnosticRow(
      ExpressionCode.neverEqual, "The two sides of `==` or `!=` can never be equal.",
      """
      operations:
        - { name: count, run: wc -l, result: int }
        - { name: empty, run: echo empty, when: results.count == 'none' }
      """,
      fix: "Compare values of the same type."),
    DiagnosticRow(
      ExpressionCode.noOrder, "The two sides of `<`, `<=`, `>` or `>=` have no order.",
      """
      operations:
        - { name: list, value: [1, 2], result: "[int]" }
        - { name: long, run: echo long, when: results.list > 1 }
      """,
      fix: "Compare numbers, strings or the `length` of lists."),
    DiagnosticRow(
      ExpressionCode.divisionByZero, "An expression divides by zero.",
      """
      params: { total: { type: int } }
      operations:
        - name: share
          value: ${{ params.total / 0 }}
      """,
      fix: "Divide by another number, or handle zero with `case(n == 0, …)`."),
    DiagnosticRow(
      DiagnosticCode.mixedExpression, "There is text around an expression where only a single expression is allowed.",
      """
      operations:
        - name: hello
          run: echo hello
          when: ${{ run.attempt }} == 1
      """,
      fix: "Put everything inside `${{ }}`, or omit the `${{ }}`."),
    DiagnosticRow(
      DiagnosticCode.expressionInScript, "A script contains an expression, whose value would become program text.",
      """
      params: { name: {} }
      operations:
        - name: hello
          run: echo ${{ params.name }}
      """,
      fix:
        "Pass the value with [`inject`](language/inputs.md#injection-inject) or [`env`](language/environment.md#environment-variables-env), and read it as `\"$name\"`."
    ),
    DiagnosticRow(
      DiagnosticCode.expressionInCode,
      "A program runs an argument as code, and the value of an expression in it would become program text.",
      """
      params: { name: {} }
      operations:
        - name: hello
          command: [sh, -c, "echo ${{ params.name }}"]
      """,
      fix:
        "Make the value a separate argument after the code, as in `[sh, -c, 'echo \"$1\"', sh, \"${{ params.name }}\"]`, or pass it with [`inject`](language/inputs.md#injection-inject) or [`env`](language/environment.md#environment-variables-env)."
    ),
    DiagnosticRow(
      DiagnosticCode.expressionNotAllowed, "An expression is used where the value must be known before anything runs.",
      """
      params: { limit: {} }
      operations:
        - name: hello
          run: echo hello
          timeout: ${{ params.limit }}
      """,
      fix: "Write the value itself."),
  ]
}
