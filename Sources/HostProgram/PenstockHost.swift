// # HostProgram
//
// What `penstock serve` becomes: arguments, signals, and the log. It must never know how pipelines are loaded, queued or run, which `Server` does.
// It starts in a process of its own name, before anything that the tool does for its commands, and is in the tool: a second program would contain the same code
// again, which is 30 MB.
//
// Read first: ``PenstockHost``, ``HostSignals``, ``HostOutput``.

import ArgumentParser
import CProcess
import Glibc
import PipelineEngine
import PipelineService
import PluginHost
import ServeArguments
import Server

/// The program of a host.
package struct PenstockHost: ParsableCommand {
  /// The name under which the tool is started to become a host.
  package static let name = "penstock-host"

  package static let configuration = CommandConfiguration(
    commandName: name, abstract: "Serve pipelines.",
    discussion: "`penstock serve` starts this program and documents its options.", version: Version.current)

  @OptionGroup var arguments: HostArguments

  package init() {}

  /// Makes this process a host, before anything else happens in it.
  ///
  /// - Parameter words: The arguments without the name of the program.
  package static func begin(_ words: [String]) {
    HostProcess.prepare()
    do {
      var command = try parseAsRoot(words)
      try command.run()
    } catch {
      HostOutput.report(error, parsing: { fullMessage(for: $0) }, isSuccess: exitCode(for: error) == .success)
    }
  }

  package func run() throws {
    if arguments.check { HostOutput.end(try HostSettings(arguments).check()) }
    HostOutput.isServing.store(true, ordering: .relaxed)
    let log = HostOutput.log()
    let settings: HostSettings
    do {
      settings = try HostSettings(arguments)
    } catch {
      HostOutput.report(error, log)
    }
    HostSignals.block()
    ProcessGuard.endByFaults()
    RunService.adoptOrphans()
    let manager = ServiceManager(variable: HostProcess.variable)
    Task {
      do {
        let server = try await PipelineServer.open(
          settings.configuration(log), log: log, states: HostStates(telling: manager))
        HostSignals.connect { server.send($0) }
        try await server.run()
        HostOutput.end(0)
      } catch {
        HostOutput.report(error, log)
      }
    }
    HostSignals.wait(log)
  }
}
