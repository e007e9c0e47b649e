import DequeModule
import PipelineLanguage
import RunHistory
import Synchronization

/// The pipelines of recorded runs, loaded from the texts recorded with them. The most recently used ones are cached, because queued runs mostly share a few.
final class RecordedPipelines: Sendable {
  private struct Key: Hashable {
    var hash: String
    var path: String
    var nested: [String: String]
  }

  /// The maximum number of cached pipelines.
  private static let limit = 16

  private let plugins: PluginSource
  /// Ordered by use, the most recent last.
  private let kept = Mutex<[(key: Key, pipeline: PipelineDefinition)]>([])

  init(plugins: PluginSource) {
    self.plugins = plugins
  }

  /// - Throws: ``InvalidPipeline`` if the texts can no longer be loaded.
  func pipeline(of run: RunRecord, definition: String, nested: [String: String]) throws -> PipelineDefinition {
    let key = Key(hash: run.definitionHash, path: run.path ?? "recorded.yaml", nested: nested)
    let known = kept.withLock { kept -> PipelineDefinition? in
      guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
      let entry = kept.remove(at: index)
      kept.append(entry)
      return entry.pipeline
    }
    if let known { return known }
    let loaded = PipelineLoader.load(
      text: definition, path: key.path, nested: nested, plugins: plugins, isRecorded: true)
    guard let pipeline = loaded.pipeline else { throw InvalidPipeline(result: loaded) }
    kept.withLock { kept in
      kept.append((key, pipeline))
      if kept.count > Self.limit { kept.removeFirst() }
    }
    return pipeline
  }
}
