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
      "Pipeline files and folders (default: those of the configuration, else ./pipelines)", valueName: "path"),
    completion: .file(extensions: ["yaml", "yml"]))
  package var paths: [String] = []

  @Option(
    help: ArgumentHelp("The configuration file of the host", valueName: "host.yaml"),
    completion: .file(extensions: ["yaml", "yml"]))
  package var config: String?

  @Option(
    help: ArgumentHelp(
      "The workspace to serve",
      discussion:
        "Else that of the configuration, $PENSTOCK_WORKSPACE, the nearest .penstock/ upward from the current directory, or penstock in the XDG state directory.",
      valueName: "path"))
  package var workspace: String?

  @Flag(help: "Check everything and exit; with 2 if there are errors")
  package var check = false

  @Flag(help: "With --check, print each finding as a JSON object, as `check --json` does")
  package var json = false

  @Flag(help: "Wait until the present host of the workspace ends, then take over")
  package var standby = false

  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp(
      "Also use this plugin's shared object (may be repeated)", valueName: "file"))
  package var plugins: [String] = []

  package init() {}

  package func validate() throws {
    if json, !check {
      throw ValidationError("--json goes with --check; a host logs JSON where standard error is not a terminal.")
    }
  }
}
