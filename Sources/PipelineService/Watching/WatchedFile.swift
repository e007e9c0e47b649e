import Operations
import PipelineEngine
import PipelineLanguage

/// The file of a watched pipeline, which is reloaded after each change.
package struct WatchedFile: Sendable {
  /// The result of reading it.
  package struct Loaded: Sendable {
    /// The file itself, and those of the pipelines that it runs, of params and of variables.
    package var files: [String]
    /// A `FileClock` time before they were read.
    var moment: Timestamp
    /// The run to start, or the reason why there is none.
    package var content: Result<RunStart, any Error>
  }

  let path: String
  let plugins: PluginSource
  let host: HostSource
  /// Additional files to watch.
  let others: [String]
  /// Converts the loader's result into a run, or throws the reason why it cannot be run.
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

  /// Reads its current contents. A file that cannot be read is watched all the same.
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
