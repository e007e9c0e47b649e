import ArgumentParser
import Pipelines

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of pipeline files, for editors.",
    discussion: """
      The schema (draft 2020-12) is made from the same tables as the loader.

        penstock schema > penstock.schema.json

      In an editor with the YAML language server, begin a pipeline file with:
        # yaml-language-server: $schema=./penstock.schema.json
      """)

  @OptionGroup var shared: SharedOptions

  func run() {
    let schema = PipelineSchema.jsonSchema()
    TextOutput.standard.writeLine(shared.json ? schema.text : schema.pretty())
  }
}
