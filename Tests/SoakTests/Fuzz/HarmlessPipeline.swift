import Expressions
import PipelineLanguage

/// Decides from the *checked* pipeline, which is exactly what a host would run, whether running it is harmless.
///
/// A fuzzer must never let a shell execute generated text. Nothing is rewritten: a pipeline runs only if each of its processes is one of those named
/// here, and if nothing in it can take long.
enum HarmlessPipeline {
  /// The only scripts that may run, compared verbatim.
  static let scripts: Set<String> = ["true", "false", "cat", "echo hello", "echo '[1, 2, 3]'"]
  private static let shell = ["/bin/sh", "-e", "-c"]
  private static let longest = Duration.seconds(60 * 60 * 24)

  static func isHarmless(_ pipeline: PipelineDefinition) -> Bool {
    guard pipeline.operations.count <= 60, pipeline.nested.isEmpty, pipeline.overlap == .allow else { return false }
    guard pipeline.environment.allSatisfy({ isHarmless(variable: $0.name) }) else { return false }
    // Commands of secrets are processes too, and files could be anything.
    guard pipeline.secrets.allSatisfy({ if case .environment = $0.origin { true } else { false } }) else {
      return false
    }
    return (pipeline.operations + pipeline.handlers.map(\.operation)).allSatisfy(isHarmless)
  }

  private static func isHarmless(_ operation: OperationDefinition) -> Bool {
    guard operation.environment.allSatisfy({ isHarmless(variable: $0.name) }), operation.directory == nil else {
      return false
    }
    if case .named(let members) = operation.injection, !members.allSatisfy({ isHarmless(variable: $0.name) }) {
      return false
    }
    // Large inputs are covered by another test.
    guard operation.retry.limit <= 5, operation.retry.base < longest else { return false }
    if let repetition = operation.repetition {
      guard let limit = repetition.limit, limit <= 20 else { return false }
    }
    switch operation.loop?.source {
    case .list(.literal(.array(let items))) where items.count > 50: return false
    case .matrix(let matrix) where matrix.lists.count > 2: return false
    default: break
    }
    switch operation.action {
    case .run(let script): return operation.shell == shell && scripts.contains(script)
    case .command(let arguments):
      guard let program = arguments.first, program.isLiteral else { return false }
      switch program.text {
      case "true", "echo": return true
      case "cat": return arguments.count == 1
      default: return false
      }
    case .value, .wait: return true
    case .http, .uses, .pipeline, .approve: return false
    }
  }

  /// Excludes variables that determine which program a name means or what a program loads.
  private static func isHarmless(variable name: String) -> Bool {
    !name.hasPrefix("LD_") && !name.hasPrefix("PENSTOCK_")
      && !["PATH", "IFS", "ENV", "BASH_ENV", "HOME"].contains(name)
  }
}
