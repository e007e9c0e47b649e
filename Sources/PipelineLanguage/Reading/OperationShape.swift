import Expressions

/// What the file says of an operation that shapes what it comes to, as hashes. Two of one shape come to the same with the same inputs.
///
/// Its place in the file, its name and its description count as little as when it runs, how often it is tried and what it is called where it is shown.
struct OperationShape: Sendable, Hashable {
  /// Of what is done.
  var action: String
  /// Of what the items of its loop are made of.
  var items: String
  /// The variables that it has from files under its `env_file`, by their names.
  var variables: [String: FileVariable]

  /// A variable of a file.
  struct FileVariable: Sendable, Hashable {
    /// The file, as it is written.
    var file: String
    var text: String
  }
}

extension OperationKey {
  /// What a key shapes.
  enum Bearing {
    /// What the operation comes to.
    case action
    /// Which items a loop has.
    case items
    /// What it comes to, together with the `defaults` of the file.
    case defaulted
    /// Nothing of that.
    case nothing
  }

  var bearing: Bearing {
    switch self {
    case .params, .with, .inject, .requires, .result, .when, .repeat, .stdin, .artifacts: .action
    case .forEach, .matrix: .items
    case .env, .envFile, .directory, .shell: .defaulted
    case .name, .description, .extends, .label, .needs, .retry, .timeout, .grace, .allowFailure, .failFast,
      .maxFailures:
      .nothing
    case .exclusive, .resources, .runWhen, .otherwise, .waitAtMost, .staleAfter, .staleWhen: .nothing
    case .rerunOnChange, .controllers, .labels, .priority, .queue: .nothing
    }
  }
}

extension OperationWord {
  var bearing: OperationKey.Bearing {
    switch self {
    case .action: .action
    case .around(let key): key.bearing
    }
  }
}

extension OperationShape {
  /// The shape of an operation that has been read from `node`, `defaults` included; `files` names the files of its variables that are from one.
  init(_ definition: OperationDefinition, _ node: YAMLNode, files: [String: String]) {
    variables = [:]
    var action = FingerprintInputs()
    var items = FingerprintInputs()
    for entry in (node.entries ?? []).sorted(by: { $0.name < $1.name }) {
      switch OperationKey.table.place(of: entry.name)?.key.bearing {
      case .action:
        action.add("key", entry.name)
        entry.value.add(to: &action, regardsQuotes: false)
      case .items:
        items.add("key", entry.name)
        entry.value.add(to: &items, regardsQuotes: false)
      case .defaulted, .nothing, nil: break
      }
    }
    for word in definition.shell { action.add("shell", word) }
    for variable in definition.environment {
      if let file = files[variable.name] {
        variables[variable.name] = FileVariable(file: file, text: variable.value.text)
      } else {
        action.add("env.\(variable.name)", variable.value.text)
      }
    }
    if let directory = definition.directory { action.add("directory", directory.text) }
    self.action = action.digest
    self.items = items.digest
  }
}
