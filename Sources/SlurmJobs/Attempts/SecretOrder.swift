import OrderedCollections
import Values

/// What a worker has to run if a secret is in it, as the host writes it to `secrets` instead of `job.json`. The worker reads and removes that file before
/// it starts the program.
package struct SecretOrder: Sendable, Hashable {
  /// What is masked in the output.
  package var secrets: [String]
  /// The program and its arguments.
  package var arguments: [String]
  /// The variables that are set in addition to those of the node.
  package var environment: [String: String]
  /// Standard input; nil if it is not in this file.
  package var input: String?

  package init(secrets: [String], arguments: [String], environment: [String: String], input: String? = nil) {
    self.secrets = secrets
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }

  package var bytes: [UInt8] {
    let variables = environment.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
    let value = JSONValue.object([
      "secrets": .array(secrets.map { .string($0) }), "arguments": .array(arguments.map { .string($0) }),
      "environment": .object(OrderedDictionary(uniqueKeysWithValues: variables)),
      "input": input.map { .string($0) } ?? .null,
    ])
    return Array(value.text.utf8)
  }

  package init?(bytes: [UInt8]) {
    guard let object = (try? JSONValue.parse(String(decoding: bytes, as: UTF8.self)))?.objectValue,
      let secrets = object["secrets"]?.arrayValue?.compactMap(\.stringValue),
      let arguments = object["arguments"]?.arrayValue?.compactMap(\.stringValue), !arguments.isEmpty,
      let variables = object["environment"]?.objectValue
    else { return nil }
    self.init(
      secrets: secrets, arguments: arguments,
      environment: variables.compactMapValues(\.stringValue).reduce(into: [:]) {
        $0[$1.key] = $1.value
      }, input: object["input"]?.stringValue)
  }
}
