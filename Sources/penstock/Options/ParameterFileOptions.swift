import ArgumentParser
import Glibc
import PipelineLanguage
import Values

/// The files that set a pipeline's params.
struct ParameterFileOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("params"),
    help: ArgumentHelp(
      "Read params from a .yaml, .json or .env file, or - for standard input (may be repeated; later ones and -p take precedence)",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml", "json", "env"]))
  var paths: [String] = []

  /// Returns the values of the params of `pipeline`; see ``read(for:of:_:)``.
  func values(for pipeline: PipelineDefinition, of file: String? = nil, _ shared: SharedOptions) throws -> [String:
    JSONValue]
  {
    try read(for: pipeline, of: file, shared).values
  }

  /// Reads the params of `pipeline`, whose own file is `file` if that is an argument of the command. Errors are printed and end the command;
  /// `refused` receives the first one.
  func read(
    for pipeline: PipelineDefinition, of file: String? = nil, _ shared: SharedOptions,
    refused: (_ finding: String) -> Void = { _ in }
  ) throws -> ParameterFiles {
    if paths.count(where: { $0 == "-" }) + (file == "-" ? 1 : 0) > 1 {
      throw CommandFailure("standard input can be read only once; give '-' only once")
    }
    let files: ParameterFiles
    do {
      files = try ParameterFiles(paths, for: pipeline) {
        try FileReader.read(descriptor: STDIN_FILENO, name: "the params from standard input")
      }
    } catch let failure as FileReadFailure {
      throw CommandFailure(failure.message)
    }
    if let finding = DiagnosticRenderer().firstError(in: files.diagnostics, of: files.sources) {
      refused(finding)
      shared.output.print {
        files.diagnostics.map { $0.jsonValue() }
      } text: {
        PipelineFileLoading.show(files.diagnostics, in: files.sources, color: shared.color)
      }
      throw ExitStatus.usage
    }
    if !shared.quiet { PipelineFileLoading.show(files.diagnostics, in: files.sources, color: shared.color) }
    return files
  }
}
