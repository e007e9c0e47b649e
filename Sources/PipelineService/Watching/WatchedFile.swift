import Operations
import PipelineEngine
import PipelineLanguage

/// The file of a watched pipeline, which is read again after each change.
package struct WatchedFile: Sendable {
  /// What was read of it.
  package struct Loaded: Sendable {
    /// The file itself, those of the pipelines that it runs, and those of params and variables.
    package var files: [String]
    /// A moment of `FileClock` before they were read.
    var moment: Timestamp
    /// What to run and with what, or why nothing can be.
    package var content: Result<RunStart, any Error>
  }

  let path: String
  let plugins: PluginSource
  let host: HostSource
  /// Files that were named beside it.
  let others: [String]
  /// Takes what was read for a run, or says why it cannot.
  let prepare: @Sendable (LoadResult) throws -> RunStart

  package init(
    path: String, plugins: PluginSource, host: HostSource = .none, others: [String] = [],
    prepare: @escaping @Sendable (LoadResult) throws -> RunStart
  ) {
    self.path = path
    self.plugins = plugins
    self.host = host
    self.others = others
    self.prepare = prepare
  }

  /// Reads it as it is now. A file that cannot be read is watched for all the same.
  package func load() -> Loaded {
    let moment = FileClock.now()
    let result = PipelineLoader.load(path: path, plugins: plugins, host: host)
    let files = (result.sources.isEmpty ? [path] : result.sources.map(\.path)) + result.settingFiles + others
    var seen: Set<String> = []
    return Loaded(
      files: files.filter { seen.insert($0).inserted }, moment: moment,
      content: Result { try prepare(result) })
  }
}
