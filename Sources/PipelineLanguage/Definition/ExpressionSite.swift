import Expressions

/// A place in a file that contains expressions, kept until they can be resolved and checked.
struct ExpressionSite {
  /// Where the value of an expression, and so a secret in it, becomes visible.
  enum Visibility: Sendable {
    /// Nowhere: it reaches a process or a server without being visible on the way.
    case hidden
    /// In records or messages.
    case shown
    /// In an argument list, which every user of the computer can see.
    case arguments
    /// To a plugin, which requests secrets by name.
    case plugin
  }

  /// A place within an action.
  struct ActionPlace: Sendable, Equatable {
    let key: ActionKey
    let visibility: Visibility
    /// Whether the context `env` contains the operation's own variables there.
    var seesOwnVariables = false
  }

  /// The purpose of the value, which determines what the expression may name.
  enum Use: Sendable, Equatable {
    case when, until, loop, label, inject, stdin, environment, exclusive, directory, artifacts, executor
    /// A part of the action.
    case action(ActionPlace)
    case nestedParameter
    /// A setting of a plugin's operation.
    case settings
    /// A setting of a plugin's controller, evaluated before there is a run.
    case controller
    /// A path in a condition over specifications, which may be evaluated at any time.
    case specification
    /// The pipeline's own `env`, evaluated before any operation.
    case pipelineEnvironment

    /// The key, as messages name it.
    var key: String {
      switch self {
      case .when: "when"
      case .until: "until"
      case .loop: "for_each"
      case .label: "label"
      case .inject: "inject"
      case .stdin: "stdin"
      case .environment, .pipelineEnvironment: "env"
      case .exclusive: "exclusive"
      case .directory: "directory"
      case .executor: "executor"
      case .action(let place): place.key.rawValue
      case .artifacts: "artifacts"
      case .nestedParameter: "params"
      case .settings: "with"
      case .controller: "controllers"
      case .specification: "specifications"
      }
    }

    /// Whether the context `env` contains the operation's own variables there, which requires that they have been computed.
    var seesOwnVariables: Bool {
      switch self {
      case .stdin, .directory, .artifacts, .inject, .environment: true
      case .action(let place): place.seesOwnVariables
      default: false
      }
    }

    /// Returns where a secret would become visible; secrets are allowed only in hidden places. A plugin requests secrets by name, so the values injected into
    /// its operations must not contain any.
    func visibility(toPlugin isForPlugin: Bool) -> Visibility {
      switch self {
      case .environment, .pipelineEnvironment, .stdin, .nestedParameter: .hidden
      case .inject: isForPlugin ? .plugin : .hidden
      case .settings, .controller: .plugin
      case .action(let place): place.visibility
      case .when, .until, .loop, .label, .exclusive, .directory, .artifacts, .executor, .specification: .shown
      }
    }
  }

  enum Body {
    case template(Template)
    /// A template that starts `offset` Unicode scalars into the node's text.
    case part(Template, offset: Int)
    /// An expression whose text starts `offset` Unicode scalars into the node's text.
    case expression(Expression, offset: Int)
  }

  let body: Body
  let node: YAMLNode
  let use: Use
  /// The interpreter that runs this argument as code, if any.
  var interpreter: Interpreter.Use?
  /// For a value under `env`, the variables above it, which the context `env` contains.
  var earlierVariables: [String] = []
  /// Whether it names something that does not exist; consequential errors are not reported.
  var hasUnknownName = false

  /// Whether its expressions could be read.
  var isSound: Bool {
    switch body {
    case .template(let template), .part(let template, _): template.isSound
    case .expression(let expression, _): expression.isSound
    }
  }

  /// The references to contexts; positions are in the node's text, from 1.
  var references: [ExpressionReference] {
    switch body {
    case .template(let template): return template.references
    case .part(let template, let offset):
      return template.references.map { reference in
        var reference = reference
        reference.position += offset
        return reference
      }
    case .expression(let expression, let offset):
      var references = expression.references
      for index in references.indices { references[index].position += offset }
      return references
    }
  }

  /// The operations, in lower case, whose result has a default.
  var resultsWithDefault: Set<String> {
    switch body {
    case .template(let template), .part(let template, _): template.resultsWithDefault
    case .expression(let expression, _): expression.resultsWithDefault
    }
  }
}

/// A template or data with the position of its first expression site among the sites of its operation.
///
/// The sites of a value are consecutive, in traversal order, so that their types can be looked up.
struct PlacedData {
  let data: DataTemplate
  let node: YAMLNode
  let firstSite: Int
  /// Whether part of it could not be read, which has been reported; nothing is known of the value itself.
  var isFaulty = false
}
