import PipelineEngine
import PipelineLanguage
import RunHistory
import Workspace

/// A caller's view of an error from the service, the engine or the workspace.
package struct FailureReport: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The request cannot be carried out as given.
    case refused
    /// The engine or the workspace could not continue.
    case broken
  }

  package let kind: Kind
  /// What happened, and what to do next; several lines if several things are wrong.
  package let description: String

  private init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Converts an error; returns nil if it is from none of these modules.
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

  /// Returns the report of a failed system call, with the engine's wording.
  package static func systemCall(_ name: String, _ number: Int32) -> FailureReport {
    FailureReport(.broken, EngineError.systemCall(name, number).description)
  }
}
