import OrderedCollections
import Values

/// What a worker has to run, as the host writes it to `job.json`.
package struct JobOrder: Sendable, Hashable {
  package var token: AttemptToken
  /// Whether the program and its environment are in a ``SecretOrder``, because there is a secret in them.
  package var hasSecrets: Bool
  /// The program and its arguments.
  package var arguments: [String]
  /// The variables that are set in addition to those of the node.
  package var environment: [String: String]
  /// The working directory, an absolute path.
  package var directory: String
  /// Whether there is a standard input in its file.
  package var hasInput: Bool
  /// The time between the request to end and the kill, in milliseconds.
  package var grace: Int64
  /// The time limit, in milliseconds; nil for none.
  package var timeout: Int64?

  package init(
    token: AttemptToken, arguments: [String], environment: [String: String], directory: String, hasInput: Bool,
    grace: Int64, timeout: Int64?, hasSecrets: Bool = false
  ) {
    self.token = token
    self.hasSecrets = hasSecrets
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.hasInput = hasInput
    self.grace = grace
    self.timeout = timeout
  }

  package var bytes: [UInt8] {
    let variables = environment.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
    let value = JSONValue.object([
      "token": .string(token.text), "arguments": .array(arguments.map { .string($0) }),
      "environment": .object(OrderedDictionary(uniqueKeysWithValues: variables)), "directory": .string(directory),
      "has_input": .bool(hasInput), "has_secrets": .bool(hasSecrets), "grace_ms": .int(grace),
      "timeout_ms": timeout.map { .int($0) } ?? .null,
    ])
    return Array(value.text.utf8)
  }

  package init?(bytes: [UInt8]) {
    guard let object = (try? JSONValue.parse(String(decoding: bytes, as: UTF8.self)))?.objectValue,
      let token = object["token"]?.stringValue.flatMap({ AttemptToken($0) }),
      let arguments = object["arguments"]?.arrayValue?.compactMap(\.stringValue),
      let variables = object["environment"]?.objectValue, let directory = object["directory"]?.stringValue,
      let hasInput = object["has_input"]?.boolValue, let grace = object["grace_ms"]?.intValue
    else { return nil }
    let hasSecrets = object["has_secrets"]?.boolValue ?? false
    guard arguments.isEmpty == hasSecrets else { return nil }
    var environment: [String: String] = [:]
    for (name, value) in variables { environment[name] = value.stringValue }
    self.init(
      token: token, arguments: arguments, environment: environment, directory: directory, hasInput: hasInput,
      grace: grace, timeout: object["timeout_ms"]?.intValue, hasSecrets: hasSecrets)
  }
}
