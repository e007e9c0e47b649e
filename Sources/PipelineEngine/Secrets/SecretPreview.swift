import Glibc
import OperatingSystem
import PipelineLanguage

/// What is known about secrets without reading them; no commands are run.
enum SecretPreview {
  /// Returns the secrets that the pipeline itself declares and that are missing.
  static func missing(
    in pipeline: PipelineDefinition, variables: ProcessEnvironment
  ) -> [UnreadableSecret] {
    pipeline.secrets.compactMap { secret in
      reason(secret.origin, in: pipeline.source.directory, variables).map {
        UnreadableSecret(name: secret.name, reason: $0)
      }
    }
  }

  /// Returns the missing secrets of the pipeline and of all pipelines that it runs.
  static func missingAnywhere(
    in pipeline: PipelineDefinition, variables: ProcessEnvironment
  ) -> [UnreadableSecret] {
    let inner = pipeline.allNested.sorted { $0.key < $1.key }.flatMap {
      missing(in: $0.value, variables: variables)
    }
    return missing(in: pipeline, variables: variables) + inner
  }

  private static func reason(
    _ origin: PipelineDefinition.Secret.Origin, in directory: String, _ variables: ProcessEnvironment
  ) -> String? {
    switch origin {
    case .environment(let name): variables[name] == nil ? unsetVariable(name) : nil
    case .file(let path):
      if let path = SecretFile.absolute(path, in: directory, variables) {
        unreadable(path)
      } else {
        unsetVariable(SecretFile.folderVariable)
      }
    case .command: nil
    }
  }

  private static func unreadable(_ path: String) -> String? {
    access(path, R_OK) == 0 ? nil : unreadableFile(.system(path: path, number: errno))
  }

  /// Returns why the secret in an environment variable cannot be read.
  static func unsetVariable(_ name: String) -> String { "the environment variable '\(name)' is not set" }

  /// Returns why the secret in a file cannot be read.
  static func unreadableFile(_ error: InputFileError) -> String {
    if case .system(let path, _) = error { "'\(path)': \(error.reason)" } else { error.description }
  }
}

extension PipelineDefinition {
  /// The environment variables that contain secrets of the pipeline, or of one that it runs.
  package var secretVariables: Set<String> {
    let all = secrets + allNested.values.flatMap(\.secrets)
    return Set(all.compactMap { if case .environment(let name) = $0.origin { name } else { nil } })
  }
}
