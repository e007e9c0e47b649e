import PipelineEngine
import PipelineLanguage
import RunHistory
import Workspace

/// What an error of the service, the engine or the workspace means to whoever asked for something.
package struct FailureReport: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// What was asked for cannot be had as it was asked.
    case refused
    /// The engine or the workspace could not go on.
    case broken
  }

  package let kind: Kind
  /// What happened, and what to do next; of several lines where several things are wrong.
  package let description: String

  private init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The meaning of an error; nil where it is of none of these modules.
  package init?(_ error: any Error) {
    switch error {
    case let report as FailureReport: self = report
    case let error as any ServiceError: self.init(error.isRefusal ? .refused : .broken, error.description)
    case let error as ParameterProblems: self.init(.refused, error.description)
    case is MissingDependency, is RunNotFound, is RunNotResumable, is SourceMissing, is InvalidPipeline:
      self.init(.refused, "\(error)")
    case let error as WorkspaceError: self.init(.broken, error.advice)
    case let error as RunFileError: self.init(.broken, error.description)
    case let error as EngineError: self.init(.broken, error.description)
    default: return nil
    }
  }

  /// A system call failed, of which the engine would say the same.
  package static func systemCall(_ name: String, _ number: Int32) -> FailureReport {
    FailureReport(.broken, EngineError.systemCall(name, number).description)
  }
}
