import PipelineLanguage
import RunHistory
import Workspace

extension RunHost {
  /// Reads the secrets of a run that is to be resumed, and of the nested runs that it resumes, before anything of it is modified: a missing secret
  /// would end the run, with everything durable in it.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - pipeline: Its definition.
  /// - Returns: The values by name, for each of the runs.
  /// - Throws: ``EngineError/secrets(_:)`` with all secrets that cannot be read, `CancellationError`, or `WorkspaceError`.
  func secrets(of run: RunID, _ pipeline: PipelineDefinition) async throws -> [RunID: [String: String]] {
    let files = Dictionary(pipeline.allNested.values.map { ($0.source.absolutePath, $0) }) { first, _ in first }
    let runs = try [(id: run, pipeline: pipeline)] + interruptedRuns(below: run, files)
    let services = services
    let task = Task(executorPreference: services.loop) {
      let notices = LoopBound(ResumptionNotices(of: run, by: services))
      let progress = LoopBound(
        SecretProgress(of: run, pipeline.name, by: services) { notices.value.tell($0) })
      defer {
        progress.value.end()
        notices.value.end()
      }
      var values: [RunID: [String: String]] = [:]
      var unreadable: [UnreadableSecret] = []
      for (id, pipeline) in runs {
        let known = values.values.flatMap(\.values)
        var reader = services.secretReader(in: pipeline.source.directory, known: known)
        reader.onSecret = { progress.value.reads($0) }
        reader.onShortage = { progress.value.lacks($0) }
        do {
          values[id] = try await reader.read(pipeline.secrets, isolation: nil)
        } catch EngineError.secrets(let missing) {
          unreadable += missing
        }
      }
      guard unreadable.isEmpty else { throw EngineError.secrets(unreadable) }
      return values
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Returns the runs nested in a run, at any depth, that were interrupted with it, each with its definition: one of `files`, by its path.
  private func interruptedRuns(
    below run: RunID, _ files: [String: PipelineDefinition]
  ) throws -> [(id: RunID, pipeline: PipelineDefinition)] {
    try history.nestedRuns(of: run).flatMap { id -> [(id: RunID, pipeline: PipelineDefinition)] in
      guard let record = try history.run(id), record.state == .interrupted, let path = record.path,
        let pipeline = files[path]
      else { return [] }
      return try [(id, pipeline)] + interruptedRuns(below: id, files)
    }
  }
}

/// Records what an interrupted run that this host is about to resume is waiting for, so that it can be shown. *On the event loop.*
private final class ResumptionNotices {
  private let run: RunID
  private let services: HostServices
  private var last: Task<Void, Never>?

  init(of run: RunID, by services: HostServices) {
    self.run = run
    self.services = services
  }

  /// One after another. A reason that cannot be written is dropped; the claim that follows reports the error.
  func tell(_ reason: RunReason?) {
    last = Task(executorPreference: services.loop) { [last, run, services] in
      await last?.value
      try? await services.recorder.tell(reason, ofResuming: run, at: services.now())
    }
  }

  /// Clears the reason. What is still recorded about a run that has been claimed in the meantime is never read.
  func end() {
    if last != nil { tell(nil) }
  }
}
