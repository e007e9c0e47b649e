import Expressions

/// One place in a file that holds expressions, kept until they can be resolved and checked.
struct ExpressionSite {
  /// Where the value of an expression is seen, and so a secret in it.
  enum Visibility: Sendable {
    /// Nowhere: it reaches a process or a server without anybody seeing it on the way.
    case hidden
    /// It is recorded, or in messages.
    case shown
    /// In an argument list, which every user of the machine can see.
    case arguments
    /// By a plugin, which asks for a secret by its name.
    case plugin
  }

  /// A place within an action, as its kind has it.
  struct ActionPlace: Sendable, Equatable {
    let key: ActionKey
    let visibility: Visibility
    /// Whether the context `env` holds the operation's own variables there.
    var seesOwnVariables = false
  }

  /// What the value is for, which decides what the expression may name.
  enum Use: Sendable, Equatable {
    case when, until, loop, label, inject, stdin, environment, exclusive, directory, artifacts
    /// Part of what the operation does.
    case action(ActionPlace)
    case nestedParameter
    /// A setting of a plugin's operation.
    case settings
    /// A setting of a plugin's controller, evaluated before there is a run.
    case controller
    /// A path in a formula of specifications, which may be asked at any time.
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
      case .action(let place): place.key.rawValue
      case .artifacts: "artifacts"
      case .nestedParameter: "params"
      case .settings: "with"
      case .controller: "controllers"
      case .specification: "specifications"
      }
    }

    /// Whether the context `env` holds the operation's own variables there: it does once they have been computed.
    var seesOwnVariables: Bool {
      switch self {
      case .stdin, .directory, .artifacts, .inject, .environment: true
      case .action(let place): place.seesOwnVariables
      default: false
      }
    }

    /// Where a secret would be seen there. It may stand only where that is nowhere; a plugin asks for it by its name, so that not even what is injected into its
    /// operation may hold one.
    func visibility(toPlugin isForPlugin: Bool) -> Visibility {
      switch self {
      case .environment, .pipelineEnvironment, .stdin, .nestedParameter: .hidden
      case .inject: isForPlugin ? .plugin : .hidden
      case .settings, .controller: .plugin
      case .action(let place): place.visibility
      case .when, .until, .loop, .label, .exclusive, .directory, .artifacts, .specification: .shown
      }
    }
  }

  enum Body {
    case template(Template)
    /// A template that begins `offset` Unicode scalars into the node's text.
    case part(Template, offset: Int)
    /// An expression whose text begins `offset` Unicode scalars into the node's text.
    case expression(Expression, offset: Int)
  }

  let body: Body
  let node: YAMLNode
  let use: Use
  /// For an argument that an interpreter runs as code: which one.
  var interpreter: Interpreter.Use?
  /// For a value under `env`: the variables above it, which it sees in the context `env`.
  var earlierVariables: [String] = []
  /// Whether it names something that there is not; what else would follow from that is not reported.
  var hasUnknownName = false

  /// Whether its expressions could be read.
  var isSound: Bool {
    switch body {
    case .template(let template), .part(let template, _): template.isSound
    case .expression(let expression, _): expression.isSound
    }
  }

  /// Every place that names a context; positions count in the node's text, from 1.
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

  /// The operations, in lower case, whose result is followed by a default.
  var resultsWithDefault: Set<String> {
    switch body {
    case .template(let template), .part(let template, _): template.resultsWithDefault
    case .expression(let expression, _): expression.resultsWithDefault
    }
  }
}

/// A template or data with the place of its first expression site among the sites of its operation.
///
/// The sites of a value follow each other in the order in which the value is walked, so that their types can be found
/// again.
struct PlacedData {
  let data: DataTemplate
  let node: YAMLNode
  let firstSite: Int
  /// Whether something in it could not be read, which is reported: of the value itself nothing is known.
  var isFaulty = false
}
