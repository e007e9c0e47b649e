// # ServeArguments
//
// What `penstock serve` understands: the tool reads it to help and to complete, and hands the words over to `penstock-host`, which reads it to serve. It must never
// know what becomes of the words.
//
// Read first: ``HostArguments``.

import ArgumentParser

/// The arguments of a host.
package struct HostArguments: ParsableArguments, Sendable {
  @Argument(
    help: ArgumentHelp(
      "Pipeline files, and folders of them. Default: those of the configuration, else ./pipelines.", valueName: "path"),
    completion: .file(extensions: ["yaml", "yml"]))
  package var paths: [String] = []

  @Option(
    help: ArgumentHelp("The configuration of the host.", valueName: "host.yaml"),
    completion: .file(extensions: ["yaml", "yml"]))
  package var config: String?

  @Option(
    help: ArgumentHelp(
      "The workspace to serve.",
      discussion:
        "Else that of the configuration, $PENSTOCK_WORKSPACE, the nearest .penstock/ upward from the current directory, or penstock in the XDG state directory.",
      valueName: "path"))
  package var workspace: String?

  @Flag(help: "Load everything, print all findings, and exit with 2 if there are errors. Runs nothing.")
  package var check = false

  @Flag(help: "With --check, print one JSON object for each finding, as `check --json` does.")
  package var json = false

  @Flag(help: "Wait for the end of the host that serves the workspace, and take over.")
  package var standby = false

  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp(
      "A plugin's shared object to use, beside those that are found; may be repeated.", valueName: "file"))
  package var plugins: [String] = []

  package init() {}

  package func validate() throws {
    if json, !check {
      throw ValidationError("--json goes with --check; a host logs JSON where standard error is not a terminal.")
    }
  }
}
