import Expressions

/// The codes of the language's own findings. They are stable, because scripts and editors rely on them.
///
/// ``DiagnosticTable`` has the meaning of each, a file that yields it, and its fix.
package enum DiagnosticCode: String, CaseIterable, Sendable {
  // Files
  case fileNotFound = "file-not-found"
  case fileUnreadable = "file-unreadable"
  case systemLimit = "system-limit"
  case fileTooLarge = "file-too-large"
  case invalidUTF8 = "invalid-utf8"
  case emptyFile = "empty-file"
  case notPipeline = "not-a-pipeline"
  case recursiveInclude = "recursive-include"
  case includeLimit = "include-limit"

  // YAML
  case yamlSyntax = "yaml-syntax"
  case multipleDocuments = "multiple-documents"
  case duplicateKey = "duplicate-key"
  case keyNotScalar = "key-not-scalar"
  case mergeKey = "merge-key"
  case tagUnsupported = "tag-unsupported"
  case tagMismatch = "tag-mismatch"
  case unknownAlias = "unknown-alias"
  case recursiveAlias = "recursive-alias"
  case aliasExpansion = "alias-expansion"
  case nestingTooDeep = "too-deep"

  // Files of params and variables
  case dotenvSyntax = "dotenv-syntax"

  // Keys and values
  case unknownKey = "unknown-key"
  case misplacedKey = "misplaced-key"
  case missingKey = "missing-key"
  case notAvailable = "not-available"
  case wrongForm = "wrong-form"
  case unknownWord = "unknown-word"
  case outOfRange = "out-of-range"
  case invalidDuration = "invalid-duration"
  case invalidTimestamp = "invalid-timestamp"
  case invalidSize = "invalid-size"
  case invalidNumber = "invalid-number"
  case invalidName = "invalid-name"
  case reservedName = "reserved-name"
  case duplicateName = "duplicate-name"

  // Params and nested pipelines
  case invalidDefault = "invalid-default"
  case invalidParam = "invalid-param"
  case invalidPattern = "invalid-pattern"
  case unknownParam = "unknown-param"
  case missingParam = "missing-param"
  case severalParams = "several-params"
  case recursivePipeline = "recursive-pipeline"

  // Operations
  case unknownTemplate = "unknown-template"
  case recursiveTemplate = "recursive-template"
  case noAction = "no-action"
  case severalActions = "several-actions"
  case shebang = "shebang"
  case severalLoops = "several-loops"
  case tooManyItems = "too-many-items"
  case excludesNothing = "excludes-nothing"
  case endlessRepeat = "endless-repeat"
  case unknownOperation = "unknown-operation"
  case unclearDependency = "unclear-dependency"
  case cycle = "cycle"
  case neverRuns = "never-runs"
  case unknownResource = "unknown-resource"
  case unknownQueue = "unknown-queue"
  case exclusiveOrder = "exclusive-order"
  case invalidArtifact = "invalid-artifact"

  // Types and injection
  case invalidType = "invalid-type"
  case typeMismatch = "type-mismatch"
  case noResult = "no-result"
  case undeclaredResult = "undeclared-result"
  case nothingInjected = "nothing-injected"
  case nothingRequired = "nothing-required"
  case stdinTaken = "stdin-taken"

  // Places of expressions
  case mixedExpression = "mixed-expression"
  case expressionInScript = "expression-in-script"
  case expressionInCode = "expression-in-code"
  case expressionNotAllowed = "expression-not-allowed"
  case contextNotAvailable = "context-not-available"

  // Specifications
  case specificationSyntax = "specification-syntax"
  case specificationTooLong = "specification-too-long"
  case specificationTooDeep = "specification-too-deep"
  case specificationTooLarge = "specification-too-large"
  case unknownSpecification = "unknown-specification"
  case misplacedSpecification = "misplaced-specification"
  case wrongArgument = "wrong-argument"
  case unusedSpecification = "unused-specification"

  // Secrets
  case secretInArguments = "secret-in-arguments"
  case secretExposed = "secret-exposed"
  case unknownSecret = "unknown-secret"

  // HTTP
  case severalBodies = "several-bodies"
  case bodyWithoutMeaning = "body-without-meaning"
  case misplacedField = "misplaced-field"
  case invalidStatus = "invalid-status"
  case invalidMediaType = "invalid-media-type"
  case invalidChecksum = "invalid-checksum"
  case invalidProxy = "invalid-proxy"

  // Plugins
  case unusedPlugin = "unused-plugin"
  case wrongKind = "wrong-kind"
  case invalidHash = "invalid-hash"
}

extension ExpressionError {
  /// Creates an error in a text that is not an expression but has places like one, such as a condition over specifications.
  init(_ code: DiagnosticCode, _ message: String, position: Int = 0, length: Int = 1, fix: String? = nil) {
    self.init(otherCode: code.rawValue, message, position: position, length: length, fix: fix)
  }
}
