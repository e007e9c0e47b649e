/// The nested pipelines of the one being checked, the plugins available to all of them, and the host that will run them.
protocol NestedPipelines: AnyObject {
  /// The plugins available to `uses`.
  var plugins: PluginSource { get }
  /// The host, as far as it is known.
  var host: HostSource { get }

  /// Returns the pipeline at `path`, resolved from the file `source`.
  func nested(_ path: String, from source: PipelineDefinition.Source) -> NestedPipeline
}

/// The outcome of loading a nested pipeline.
enum NestedPipeline {
  case loaded(PipelineDefinition)
  /// The pipeline has errors, which are reported in its own file; holds what is known of it.
  case broken(PipelineDefinition?)
  /// The pipeline cannot be run from here.
  case refused(code: DiagnosticCode, message: String)
}
