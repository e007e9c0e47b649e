import PipelineLanguage

/// Loads the file that a command was given, and shows what is wrong with it.
enum PipelineFileLoading {
  /// The checked pipeline. Warnings are shown; errors end the command.
  static func load(
    _ path: String, options: SharedOptions, plugins: PluginSource
  ) throws -> PipelineDefinition {
    try accept(PipelineLoader.load(path: path, plugins: plugins), options: options)
  }

  static func accept(_ result: LoadResult, options: SharedOptions) throws -> PipelineDefinition {
    if result.pipeline == nil {
      options.output.print {
        result.diagnostics.map { $0.jsonValue() }
      } text: {
        show(result.diagnostics, in: result.sources, color: options.color)
      }
    } else if !options.quiet {
      show(result.diagnostics, in: result.sources, color: options.color)
    }
    guard let pipeline = result.pipeline else {
      throw result.lacksResources ? ExitStatus.engineFailed : .usage
    }
    return pipeline
  }

  static func show(_ diagnostics: [Diagnostic], in sources: [SourceText], color: ColorChoice) {
    guard !diagnostics.isEmpty else { return }
    TextOutput.standard.flush()
    let style = Style(color, for: .error)
    let width = TextOutput.error.isTerminal ? TerminalSize.current(of: TextOutput.error.descriptor).columns : 100
    TextOutput.error.write(DiagnosticRenderer(color: style.isColored, width: width).render(diagnostics, in: sources))
  }
}
