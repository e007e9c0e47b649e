import Testing

@testable import Expressions
@testable import PipelineLanguage

@Suite("References")
struct ReferenceTests {
  @Test("every mention of an operation makes it a dependency")
  func dependencies() throws {
    let definition = try pipeline(
      """
      operations:
        - { name: a, value: [1] }
        - { name: b, run: ls }
        - { name: c, run: ls }
        - { name: d, run: ls }
        - { name: e, run: ls }
        - { name: f, run: ls }
        - name: last
          needs: b
          inject: c
          when: ${{ errors.d == null }}
          for_each: ${{ results.a }}
          env: { E: "${{ errors.e.code }}" }
          command: [echo, "${{ results.f || 'none' }}"]
      """)
    let last = definition.operations[6]
    #expect(last.dependencies == [0, 1, 2, 3, 4, 5])
    #expect(last.requiredResults == [0, 2])
  }

  @Test(
    "an operation whose condition is evaluated anyway requires no result",
    arguments: [
      "always()", "failure()", "!cancelled()", "operations.b.state == 'skipped'", "success() || failure()",
      "!success()", "success() == false",
    ])
  func asked(_ when: String) throws {
    let definition = try pipeline(
      """
      operations:
        - { name: a, run: ls }
        - { name: b, run: ls }
        - { name: x, inject: a, when: "\(when)", run: cat }
        - { name: y, inject: a, when: success() && results.b, run: cat }
      """)
    #expect(definition.operations[2].isAskedAnyway && definition.operations[2].requiredResults.isEmpty)
    #expect(!definition.operations[3].isAskedAnyway && definition.operations[3].requiredResults == [0])
  }

  @Test("needs takes one or more names, without duplicates")
  func needs() throws {
    let definition = try pipeline(
      """
      operations:
        - { name: a, run: ls }
        - { name: b, run: ls, needs: a }
        - { name: c, run: ls, needs: [b, a, b] }
      """)
    #expect(definition.operations.map(\.dependencies) == [[], [0], [0, 1]])
    #expect(definition.operations[2].requiredResults.isEmpty)
  }

  @Test("an operation may be named before its definition")
  func forwardReferences() throws {
    let definition = try pipeline("operations: [{name: a, run: ls, inject: b}, {name: b, run: ls}]")
    #expect(definition.operations[0].dependencies == [1])
    guard case .automatic(let template) = definition.operations[0].injection else {
      return #expect(Bool(false), "not automatic")
    }
    #expect(template.text == "${{ results.b }}")
  }

  @Test("a chain adds the preceding operation as a dependency")
  func chains() throws {
    let definition = try pipeline(
      "order: chain\noperations: [{name: a, run: ls}, {name: b, run: ls}, {name: c, run: ls, needs: a}]")
    #expect(definition.operations.map(\.dependencies) == [[], [0], [0, 1]])
  }

  @Test("an unknown operation is an error at its name, with a suggestion")
  func unknownOperations() {
    #expect(
      findings(
        """
        operations:
          - { name: fetch, run: ls }
          - name: count
            needs: [fetch, fecth]
            inject: { first: "it's ${{ results.fetch }} and ${{ results.fethc[0].tag }}" }
            run: ls
            when: results.fetch != 1 && operations.zzzzzzz.state == 'x'
          - name: other
            inject: ftch
            run: ls
        """) == [
          "4:20 unknown-operation there is no operation 'fecth' (did you mean 'fetch'?)",
          "5:57 unknown-operation there is no operation 'fethc' (did you mean 'results.fetch'?)",
          "7:33 unknown-operation there is no operation 'zzzzzzz'",
          "9:13 unknown-operation there is no operation 'ftch' (did you mean 'fetch'?)",
        ])
  }

  @Test("positions are exact in quoted, folded and literal scalars")
  func exactPlaces() {
    #expect(
      findings(
        #"""
        operations:
          - name: a
            value:
              plain: text ${{ results.p }}
              single: 'it''s ${{ results.s }}'
              double: "\u00e9\t\"${{ results.d }}"
              folded: >-
                first
                ${{ results.f }}
              literal: |
                  first

                  second ${{ results.l }}
        """#) == [
          "4:23 unknown-operation there is no operation 'p'",
          "5:26 unknown-operation there is no operation 's'",
          "6:30 unknown-operation there is no operation 'd'",
          "9:13 unknown-operation there is no operation 'f'",
          "13:22 unknown-operation there is no operation 'l'",
        ])
  }

  @Test("an operation with errors still counts as a name")
  func noCascade() {
    #expect(
      findings(
        """
        operations:
          - { name: a, rnu: ls }
          - { name: b, run: ls, inject: a, requires: int }
          - { name: c, value: "${{ results.a.x.y + }}" }
          - { name: d, run: ls, inject: c }
        """
      ).map { $0.split(separator: " ")[1] } == ["unknown-key", "expression-syntax"])
  }

  @Test("a context as a whole does not identify dependencies")
  func wholeContexts() {
    #expect(
      findings(
        """
        operations:
          - { name: a, run: ls }
          - { name: b, value: "${{ toJSON(results) }}" }
        after: { always: [{ name: c, command: [echo, "${{ toJSON(operations) }}"] }] }
        """) == [
          "3:35 unclear-dependency 'results' cannot be used as a whole, because that does not show which operations are needed (name the operation, as in 'results.a')"
        ])
  }

  @Test("a handler sees all operations, and no operation sees a handler")
  func handlers() throws {
    let definition = try pipeline(
      """
      operations: [{ name: a, run: ls }]
      after:
        always: [{ name: tidy, run: ls }]
        failure: [{ name: page, run: ls, inject: { e: "${{ errors.a.message }}" } }, { name: mail, run: ls }]
      """)
    #expect(definition.handlers.map(\.event) == [.failure, .failure, .always])
    #expect(definition.handlers.map(\.operation.name) == ["page", "mail", "tidy"])
    #expect(definition.handlers.map(\.operation.index) == [0, 1, 2])
    #expect(definition.handlers.allSatisfy { $0.operation.dependencies.isEmpty })
    #expect(
      findings(
        """
        operations: [{ name: a, run: ls, needs: page }]
        after:
          failure: [{ name: page, run: ls }, { name: mail, run: ls, needs: page }, { name: A, run: ls }]
          faliure: []
        """) == [
          "1:41 unknown-operation 'page' is a handler under 'after': nothing can refer to it",
          "3:61 misplaced-key 'needs' is not allowed in a handler: handlers run when the pipeline has ended",
          "3:84 duplicate-name the name 'A' is already used on line 1",
          "4:3 unknown-key 'after' has no key 'faliure' (did you mean 'failure'?)",
        ])
  }

  @Test("results are required unless a default or the condition says otherwise")
  func requiredResults() throws {
    let definition = try pipeline(
      """
      operations:
        - { name: a, run: ls }
        - { name: b, command: [echo, "${{ results.a }}"] }
        - { name: c, command: [echo, "${{ results.a || 'x' }}"] }
        - { name: d, command: [echo, "${{ results.a }}"], when: "${{ always() }}" }
        - { name: e, command: [echo, "${{ results.a }}"], when: "${{ success() && results.a != 'failure()' }}" }
        - { name: f, run: ls, when: "${{ results.a == 1 }}" }
      """)
    #expect(definition.operations.map(\.requiredResults) == [[], [0], [], [], [0], []])
  }

  @Test("operation names are case-insensitive everywhere")
  func letterCase() throws {
    let definition = try pipeline(
      """
      operations:
        - { name: build, value: { tag: v1 } }
        - { name: A, needs: Build, value: "${{ results['BUILD'].tag }}" }
        - { name: b, inject: bUILD, requires: { tag: string }, run: cat }
        - { name: c, value: "${{ Results.Build || 'x' }}" }
        - { name: d, value: "${{ results.Build || 'x' }} ${{ results.build }}" }
        - { name: e, value: 1, repeat: { until: "results.E == 1 && operations.a.state", limit: 2 } }
      """)
    #expect(definition.operations.map(\.dependencies) == [[], [0], [0], [0], [0], [1]])
    #expect(definition.operations.map(\.requiredResults) == [[], [0], [0], [], [0], []])
    #expect(
      findings(
        """
        operations:
          - { name: build, value: { tag: v1 } }
          - { name: a, inject: Build, requires: int, run: cat }
          - { name: b, value: "${{ results.BUILD.tga }}" }
          - { name: c, needs: Biuld, run: ls }
          - { name: d, needs: Page, run: ls }
          - { name: e, when: results.E, run: ls }
        after: { always: [{ name: page, run: ls, inject: BUILD }] }
        """) == [
          "3:24 type-mismatch operation 'a' requires int, but 'Build' gives {tag: string}",
          "4:42 unknown-member 'results.BUILD' has no member 'tga' (did you mean 'results.BUILD.tag'?)",
          "5:23 unknown-operation there is no operation 'Biuld' (did you mean 'build'?)",
          "6:23 unknown-operation 'Page' is a handler under 'after': nothing can refer to it",
          "7:22 cycle 'e' depends on itself: e → e",
        ])
  }

  @Test("params and secrets are case-insensitive, but variables are not")
  func letterCaseOfMembers() {
    #expect(
      findings(
        """
        params: { feed: string }
        secrets: { tok: { env: T } }
        env: { GREETING: "${{ params.FEED }}", TOKEN: "${{ secrets.TOK }}" }
        operations:
          - { name: a, run: ls, stdin: "${{ secrets.Tok }}" }
          - { name: b, value: "${{ env.greeting }}" }
          - { name: c, value: "${{ secrets.TOK }}" }
        """) == [
          "6:28 unknown-member 'env' has no member 'greeting' (did you mean 'env.GREETING'?)",
          "7:28 secret-exposed a secret cannot be used in 'value', whose value is recorded or shown (secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends)",
        ])
    #expect(
      findings(
        """
        params: { feed: string, Feed: int }
        secrets: { tok: { env: T }, TOK: { env: U } }
        operations: [{ name: a, run: ls }]
        """) == [
          "1:25 duplicate-name the param 'feed' on line 1 differs from 'Feed' in letter case alone, which expressions do not regard",
          "2:29 duplicate-name the secret 'tok' on line 2 differs from 'TOK' in letter case alone, which expressions do not regard",
        ])
  }
}
