import Expressions

/// One place in a file that holds expressions, kept until they can be resolved and checked.
struct ExpressionSite {
  /// What the value is for, which decides what the expression may name.
  enum Use: Sendable {
    case when, until, loop, label, command, value, wait, approve, inject, stdin, environment, exclusive, directory
    case nestedParameter
    /// A part of a request that is not shown anywhere.
    case http
    /// A path or a checksum of a request, which messages show.
    case httpShown
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
      case .command: "command"
      case .value: "value"
      case .wait: "wait"
      case .approve: "approve"
      case .inject: "inject"
      case .stdin: "stdin"
      case .environment, .pipelineEnvironment: "env"
      case .exclusive: "exclusive"
      case .directory: "directory"
      case .nestedParameter: "params"
      case .http, .httpShown: "http"
      case .settings: "with"
      case .controller: "controllers"
      case .specification: "specifications"
      }
    }

    /// Whether the context `env` holds the operation's own variables there: it does once they have been computed.
    var seesOwnVariables: Bool {
      switch self {
      case .command, .stdin, .directory, .inject, .environment: true
      default: false
      }
    }

    /// Whether a secret would be seen there. It may stand only where it reaches a process without anybody seeing it on the way; a plugin asks for it by
    /// its name, so that not even what is injected into its operation may hold one.
    func showsSecrets(toPlugin isForPlugin: Bool) -> Bool {
      if isForPlugin, case .inject = self { return true }
      switch self {
      case .environment, .pipelineEnvironment, .stdin, .inject, .nestedParameter, .http: return false
      default: return true
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
