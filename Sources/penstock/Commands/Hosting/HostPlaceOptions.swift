import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory

/// Selects the process that retries or resumes a run if a host serves the workspace.
struct HostPlaceOptions: ParsableArguments {
  @Flag(help: "Run it in this process, even if a host serves the pipeline")
  var here = false

  @Flag(help: "If a host runs it, show it until it ends; Ctrl-C ends only the display")
  var follow = false

  func validate() throws {
    if here, follow {
      throw ValidationError("--follow and --here exclude each other: a run in this process is shown anyway.")
    }
  }

  /// Returns the host that runs it; nil for this process. Reports a host that does not serve the pipeline.
  ///
  /// - Throws: ``CommandFailure`` if `display` requests output that only the process that runs it can show.
  func host(
    for run: RunRecord, in history: History, _ display: OutputOptions, _ shared: SharedOptions
  ) throws -> HostRecord? {
    guard !here else { return nil }
    switch try RunProcess(of: run, in: history) {
    case .host(let host):
      guard display.output == nil, display.results.isEmpty else {
        throw CommandFailure(
          "--output and --result need a run in this process, but the host in process \(host.owner.pid) serves this pipeline; add --here to run it here, or leave them out"
        )
      }
      if let standstill = history.standstill(of: host) { shared.warn(of: standstill) }
      return host
    case .here(nil): return nil
    case .here(let host?):
      if !shared.quiet {
        TextOutput.error.writeMessage(
          "penstock: the host in process \(host.owner.pid) does not serve '\(TerminalText.visible(run.pipeline))' from this file; running it here"
        )
      }
      return nil
    }
  }

  /// Warns that a draining host will not begin the run.
  static func warn(of host: HostRecord, _ shared: SharedOptions) {
    guard host.state == .draining, !shared.quiet else { return }
    TextOutput.error.writeMessage(
      "penstock: the host in process \(host.owner.pid) is draining; the next host starts the run (--here runs it now)"
    )
  }
}
