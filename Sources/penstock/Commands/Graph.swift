import ArgumentParser
import RunReports

struct Graph: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "graph",
    abstract: "Show the operations of a pipeline and how they depend on each other",
    discussion: """
        penstock graph nightly.yaml
        penstock graph nightly.yaml --format mermaid     for Markdown
        penstock graph nightly.yaml --format dot | dot -Tsvg > nightly.svg
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, mermaid, dot
  }

  @Argument(
    help: ArgumentHelp(PipelineFileLoading.help, valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  @Option(help: ArgumentHelp("The format: text, mermaid or dot", valueName: "format"))
  var format: Format = .text

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let graph = PipelineGraph(
      try PipelineFileLoading.load(
        PipelineFileLoading.file(givenFile), options: shared, plugins: plugins.source(), host: config.host(shared)))
    shared.output.print {
      graph.jsonLines()
    } text: {
      switch format {
      case .text: TextOutput.standard.write(graph.text(width: shared.tableWidth))
      case .mermaid: TextOutput.standard.write(graph.mermaid())
      case .dot: TextOutput.standard.write(graph.dot())
      }
    }
  }
}
