/// The pipelines that the one being checked runs, the plugins that all of them may use, and the host that is to run them.
protocol NestedPipelines: AnyObject {
  /// What `uses` may reach.
  var plugins: PluginSource { get }
  /// What is known of the host.
  var host: HostSource { get }

  /// The pipeline at `path`, as the file `source` names it.
  func nested(_ path: String, from source: PipelineDefinition.Source) -> NestedPipeline
}

/// What naming a nested pipeline led to.
enum NestedPipeline {
  case loaded(PipelineDefinition)
  /// It has errors, which are reported in its own file; with what is known of it all the same.
  case broken(PipelineDefinition?)
  /// It cannot be run from here at all.
  case refused(code: DiagnosticCode, message: String)
}
