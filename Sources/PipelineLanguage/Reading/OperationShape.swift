import Expressions

/// The hashes of what the file defines for an operation's results. Two operations of the same shape yield the same results for the same inputs.
///
/// The operation's place in the file, name, description and label are irrelevant, as are when it runs and how often it is attempted.
struct OperationShape: Sendable, Hashable {
  /// The hash of the action.
  var action: String
  /// The hash of the source of its items.
  var items: String
  /// The variables from files under its `env_file`, by name.
  var variables: [String: FileVariable]

  /// A variable of a file.
  struct FileVariable: Sendable, Hashable {
    /// The file, as written.
    var file: String
    var text: String
  }
}

extension OperationKey {
  /// What a key affects.
  enum Bearing {
    /// The operation's results.
    case action
    /// The items of its loop.
    case items
    /// The operation's results, together with the `defaults` of the file.
    case defaulted
    /// Neither.
    case nothing
  }

  var bearing: Bearing {
    switch self {
    case .params, .with, .inject, .requires, .result, .when, .repeat, .stdin, .artifacts: .action
    case .forEach, .matrix: .items
    case .env, .envFile, .directory, .shell: .defaulted
    case .name, .description, .extends, .label, .needs, .retry, .timeout, .grace, .allowFailure, .failFast,
      .maxFailures, .executor:
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
  /// Creates the shape of an operation that was read from `node`, including `defaults`; `files` names the files of variables that come from one.
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
