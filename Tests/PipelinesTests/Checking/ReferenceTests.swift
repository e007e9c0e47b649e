import Testing

@testable import Pipelines

@Suite("References")
struct ReferenceTests {
  @Test("whatever names an operation makes it a dependency")
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
          when: ${{ operations.d.state == 'succeeded' }}
          for_each: ${{ results.a }}
          env: { E: "${{ errors.e.code }}" }
          command: [echo, "${{ results.f || 'none' }}"]
      """)
    let last = definition.operations[6]
    #expect(last.dependencies == [0, 1, 2, 3, 4, 5])
    #expect(last.requiredResults == [0, 2])
  }

  @Test("needs takes one name or several, and names nothing twice")
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

  @Test("an operation may be named before it is written")
  func forwardReferences() throws {
    let definition = try pipeline("operations: [{name: a, run: ls, inject: b}, {name: b, run: ls}]")
    #expect(definition.operations[0].dependencies == [1])
    guard case .automatic(let template) = definition.operations[0].injection else {
      return #expect(Bool(false), "not automatic")
    }
    #expect(template.text == "${{ results.b }}")
  }

  @Test("a chain adds the operation before")
  func chains() throws {
    let definition = try pipeline(
      "order: chain\noperations: [{name: a, run: ls}, {name: b, run: ls}, {name: c, run: ls, needs: a}]")
    #expect(definition.operations.map(\.dependencies) == [[], [0], [0, 1]])
  }

  @Test("an unknown operation is an error at its name, with the nearest one")
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

  @Test("places are exact in quoted, folded and literal scalars")
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

  @Test("an operation that is broken still counts as a name")
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

  @Test("a context as a whole does not say what is needed")
  func wholeContexts() {
    #expect(
      findings(
        """
        operations:
          - { name: a, run: ls }
          - { name: b, value: "${{ toJSON(results) }}" }
        after: { always: [{ name: c, command: [echo, "${{ toJSON(operations) }}"] }] }
        """) == [
          "3:35 unclear-dependency 'results' as a whole does not say which operations it depends on (name the operation, as in 'results.a')"
        ])
  }

  @Test("a handler sees all operations, and nothing sees a handler")
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
          "3:61 misplaced-key 'needs' has no place in a handler: handlers run when the pipeline has ended",
          "3:84 duplicate-name the name 'A' is taken already, on line 1",
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
}
