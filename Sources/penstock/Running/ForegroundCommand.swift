import ArgumentParser
import Glibc
import PipelineService
import PluginHost

/// A command that runs a pipeline, and answers signals while it does.
protocol ForegroundCommand: ParsableCommand, Sendable {
  /// Runs to the end, and says how the process should end. Not on the first thread.
  func runInForeground() async throws -> ExitStatus
}

extension ForegroundCommand {
  func run() throws { try runBesideSignals() }

  /// Ends the process: the first thread only answers signals that no run does, which are blocked in all others.
  func runBesideSignals() throws {
    // libdispatch, which waits for processes and timers, ends the process by SIGILL without it.
    guard access("/proc/self/task", X_OK) == 0 else {
      throw CommandFailure(
        "/proc is not mounted, and a run needs it; mount it (`mount -t proc proc /proc`)", status: .engineFailed)
    }
    SignalSource.block()
    ProcessGuard.endByFaults()
    RunService.adoptOrphans()
    Task {
      do {
        try await runInForeground().finish()
      } catch {
        ExitStatus.report(error).finish()
      }
    }
    UnansweredSignals.wait()
  }
}
