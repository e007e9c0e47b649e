import Testing

@testable import PipelineLanguage

@Suite("Secrets")
struct SecretTests {
  @Test("a secret is rejected where it would be visible")
  func exposure() {
    #expect(
      findings(
        """
        secrets: { token: { env: TOKEN } }
        env: { T: "${{ secrets.token }}", PLAIN: x }
        operations:
          - { name: a, command: [curl, "${{ secrets.token }}"] }
          - { name: b, value: "${{ secrets.token }}" }
          - { name: c, run: ls, when: "${{ secrets.token == 'x' }}" }
          - { name: d, command: [curl, "${{ env.T }}", "${{ env.PLAIN }}"] }
          - { name: e, for_each: [1], label: "${{ secrets.token }}", value: 1 }
        """) == [
          "4:37 secret-in-arguments a secret cannot be an argument: every user of the computer can see argument lists (pass it through 'env')",
          "5:28 secret-exposed a secret cannot be used in 'value', whose value is recorded or shown (secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends)",
          "6:36 secret-exposed a secret cannot be used in 'when', whose value is recorded or shown (secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends)",
          "7:37 secret-in-arguments a secret cannot be an argument: every user of the computer can see argument lists (pass it through 'env')",
          "8:43 secret-exposed a secret cannot be used in 'label', whose value is recorded or shown (secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends)",
        ])
  }

  @Test("an operation that a secret can reach is marked")
  func marking() throws {
    let definition = try pipeline(
      """
      secrets: { token: { env: TOKEN } }
      operations:
        - { name: a, run: ls }
        - { name: b, run: ls, env: { T: "${{ secrets.token }}" } }
        - { name: c, run: ls, stdin: "${{ secrets.token }}" }
        - { name: d, run: ls, inject: { T: "${{ secrets.token }}" } }
        - { name: e, value: 1 }
      """)
    #expect(definition.operations.map(\.receivesSecret) == [false, true, true, true, false])
  }

  @Test("a secret in the pipeline's environment reaches every process")
  func pipelineEnvironment() throws {
    let definition = try pipeline(
      """
      secrets: { token: { env: TOKEN } }
      env: { T: "${{ secrets.token }}" }
      operations: [{ name: a, run: ls }, { name: b, command: [ls] }, { name: c, value: 1 }]
      after: { always: [{ name: d, run: ls }] }
      """)
    #expect(definition.operations.map(\.receivesSecret) == [true, true, false])
    #expect(definition.handlers.map(\.operation.receivesSecret) == [true])
  }

  @Test("a secret cannot pass unnoticed through an operation's own variable")
  func ownVariables() {
    let found = findings(
      """
      secrets: { token: { env: TOKEN } }
      env: { T: "${{ secrets.token }}" }
      operations:
        - { name: a, command: [x, "${{ env.A }}"], env: { A: "${{ secrets.token }}" } }
        - { name: b, command: [x, "${{ env.B }}"], env: { A: "${{ env.T }}", B: "x${{ env.A }}" } }
        - { name: c, command: [x, "${{ env.T }}"], env: { T: plain } }
        - { name: d, command: [x, "${{ env.I }}"], inject: { I: "${{ secrets.token }}" } }
      """)
    #expect(
      found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "4:34 secret-in-arguments", "5:34 secret-in-arguments", "7:34 secret-in-arguments",
      ])
  }

  @Test("variables must be spelt exactly, secrets in any letter case, and both must be declared")
  func spelling() {
    #expect(
      findings(
        """
        secrets: { token: { env: TOKEN } }
        env: { T: x }
        operations:
          - { name: a, run: ls, env: { A: "${{ env.t }}", B: "${{ secrets.Token }}", C: "${{ secrets.tken }}" } }
          - { name: b, run: ls, env: { A: "${{ env.B }}", B: "${{ env.A }}" } }
          - { name: c, run: ls, env: { A: x }, when: env.A == 'x' }
        """) == [
          "4:40 unknown-member 'env' has no member 't' (did you mean 'env.T'?)",
          "4:94 unknown-member 'secrets' has no member 'tken' (did you mean 'secrets.token'?)",
          "5:44 unknown-member 'env' has no member 'B'",
          "6:50 unknown-member 'env' has no member 'A'",
        ])
  }
}
