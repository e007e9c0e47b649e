// # penstock-host
//
// The program that `penstock serve` executes: arguments, signals, and the log. It must never know how pipelines are loaded, queued or run, which `Server` does.
// It is a separate program, so that the libraries of a host do not slow down the other commands.
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

@main
struct PenstockHost: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "penstock-host", abstract: "Serve pipelines.",
    discussion: "`penstock serve` starts this program and documents its options.", version: Version.current)

  @OptionGroup var arguments: HostArguments

  static func main() {
    if CommandLine.arguments.dropFirst().first == ChildHost.argument { ChildHost.main() }
    HostProcess.prepare()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      HostOutput.report(error, parsing: { fullMessage(for: $0) }, isSuccess: exitCode(for: error) == .success)
    }
  }

  func run() throws {
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
