import ArgumentParser
import Glibc
import PipelineService

/// Runs one attempt on a node of a cluster. Started only by Slurm.
struct Worker: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "worker", abstract: "Run an attempt on a node of a cluster", shouldDisplay: false)

  @Argument var directory: String

  func run() throws { Glibc.exit(NodeWorker.run(directory: directory)) }
}
