import ArgumentParser
import Glibc
import PipelineService
import PluginHost

/// A command that runs a pipeline and handles signals in the meantime.
protocol ForegroundCommand: ParsableCommand, Sendable {
  /// Runs to the end, and returns the exit code. Not called on the first thread.
  func runInForeground() async throws -> ExitStatus
}

extension ForegroundCommand {
  func run() throws { try runBesideSignals() }

  /// Runs the command and ends the process. The first thread only handles signals that no run handles; they are blocked in all other threads.
  func runBesideSignals() throws {
    // Without it, libdispatch, which waits for processes and timers, ends the process with SIGILL.
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
