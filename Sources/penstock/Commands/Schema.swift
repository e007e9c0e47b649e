import ArgumentParser
import PipelineLanguage
import PluginHost

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "schema",
    abstract: "Print the JSON Schema of pipeline or host files, for editors",
    discussion: """
      The schema (draft 2020-12) is generated from the same tables that the loader uses.

        penstock schema > penstock.schema.json
        penstock schema --plugins > penstock.schema.json     with the settings of plugins

      In an editor with the YAML language server, begin a pipeline file with:
        # yaml-language-server: $schema=./penstock.schema.json

      Files that pipelines include have their own schema:
        penstock schema --included > penstock.included.schema.json

      So does the configuration file of a host:
        penstock schema --host > penstock.host.schema.json
      """)

  @Flag(name: .customLong("plugins"), help: "Include the settings of all plugins that are found")
  var coversPlugins = false

  @Flag(name: .customLong("included"), help: "Print the schema of files that pipelines include")
  var isIncluded = false

  @Flag(name: .customLong("host"), help: "Print the schema of a host's configuration file")
  var isHost = false

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    guard isHost else { return }
    if isIncluded { throw ValidationError("--host and --included exclude each other") }
    if coversPlugins || !plugins.files.isEmpty {
      throw ValidationError("--plugins does not apply to --host: a host's configuration has no plugin settings")
    }
  }

  func run() {
    // Naming a plugin implies that it is covered.
    let covered = coversPlugins || !plugins.files.isEmpty ? descriptions() : []
    let schema =
      isHost
      ? PipelineSchema.hostJSONSchema() : PipelineSchema.jsonSchema(plugins: covered, isIncluded: isIncluded)
    let text = shared.output.choose(json: { schema.text }, text: { schema.pretty() })
    TextOutput.standard.writeJSON(Array((text + "\n").utf8))
  }

  /// Returns the descriptions of the plugins; those that cannot be used are reported and omitted.
  private func descriptions() -> [PluginDescription] {
    let host = plugins.host()
    let found = PluginFinder(host.configuration).all()
    for error in found.errors { TextOutput.error.writeMessage("penstock: \(TerminalText.visible(error.message))") }
    return found.files.compactMap { file in
      do throws(PluginError) {
        return try host.plugin(file.id).description
      } catch {
        TextOutput.error.writeMessage("penstock: \(TerminalText.visible(error.message))")
        return nil
      }
    }
  }
}
