import Glibc
import Synchronization
import Testing

@testable import OperatingSystem

@Suite("Threads") struct SystemThreadTests {
  /// A test thread's view of itself.
  private struct Observation: Equatable {
    var name = ""
    var blocked: UInt64 = 0

    static func ofThisThread() -> Observation {
      let status = ProcessTable.read("/proc/thread-self/status", limit: 64 << 10) ?? []
      var fields: [String: String] = [:]
      for line in String(decoding: status, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: ":\t", maxSplits: 1)
        if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
      }
      return Observation(name: fields["Name"] ?? "", blocked: UInt64(fields["SigBlk"] ?? "", radix: 16) ?? 0)
    }

    func blocks(_ signal: Int32) -> Bool { blocked & (1 << UInt64(signal - 1)) != 0 }
  }

  private func observe(_ name: String, blocking signals: SystemThread.BlockedSignals) throws -> Observation {
    let observation = Mutex(Observation())
    let thread = try SystemThread(name, blocking: signals) { observation.withLock { $0 = .ofThisThread() } }
    thread.join()
    return observation.withLock { $0 }
  }

  @Test("a thread has its name") func name() throws {
    #expect(try observe("a-longest-name-", blocking: .inherited).name == "a-longest-name-")
  }

  @Test("a thread inherits the blocked signals of its starter") func inherited() throws {
    let (before, after) = try observeInThread { SignalMask.block(SIGUSR2) }
    #expect(!before.blocks(SIGUSR2))
    #expect(after.blocks(SIGUSR2))
    #expect(after.blocked & ~before.blocked == 1 << UInt64(SIGUSR2 - 1))
  }

  /// Returns the observations of two threads, one started before `change` and one after, by a thread whose mask affects no other.
  private func observeInThread(_ change: @escaping @Sendable () -> Void) throws -> (Observation, Observation) {
    let result = Mutex((Observation(), Observation()))
    let thread = try SystemThread("starter") {
      // The threads that run tests block nearly all signals.
      SignalMask.unblock(SIGUSR2)
      guard let before = try? observe("before", blocking: .inherited) else { return }
      change()
      guard let after = try? observe("after", blocking: .inherited) else { return }
      result.withLock { $0 = (before, after) }
    }
    thread.join()
    return result.withLock { $0 }
  }

  @Test("a thread that blocks all signals leaves its starter's mask unchanged") func all() throws {
    let before = Observation.ofThisThread()
    let observation = try observe("all", blocking: .all)
    #expect(Observation.ofThisThread() == before)
    for signal in [SIGINT, SIGCHLD, SIGPIPE, SIGSEGV, SIGABRT] { #expect(observation.blocks(signal)) }
  }

  @Test("faults stay unblocked even if the starter blocks them") func faults() throws {
    let result = Mutex(Observation())
    let thread = try SystemThread("starter") {
      SignalMask.block(SIGABRT, SIGSEGV)
      guard let observation = try? observe("faults", blocking: .allButFaults) else { return }
      result.withLock { $0 = observation }
    }
    thread.join()
    let observation = result.withLock { $0 }
    for signal in [SIGINT, SIGCHLD, SIGPIPE, SIGXFSZ] { #expect(observation.blocks(signal)) }
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { #expect(!observation.blocks(signal)) }
  }

  @Test("an unblocked signal is no longer blocked") func unblocked() throws {
    let (before, after) = try observeInThread {
      SignalMask.block(SIGUSR2)
      SignalMask.unblock(SIGUSR2)
    }
    #expect(before.blocked == after.blocked)
  }

  @Test("a detached thread runs and releases what it retains") func detached() async throws {
    final class Held: Sendable {
      let onEnd: @Sendable () -> Void
      init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let held = Held { continuation.resume() }
      do {
        try SystemThread.detach("detached") { withExtendedLifetime(held) {} }
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test("a thread that cannot be started throws an error with its number") func failure() async {
    // In a separate process, because the limit leaves it no memory for a stack.
    await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) {
      var limit = rlimit()
      SignalMask.unblock(SIGINT)
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      limit.rlim_cur = 1 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      do throws(SystemError) {
        try SystemThread.detach("none", blocking: .all) {}
        exit(1)
      } catch {
        guard error == SystemError("pthread_create", EAGAIN) else { exit(2) }
      }
      // The mask is unchanged.
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      exit(sigismember(&blocked, SIGINT) == 0 ? EXIT_SUCCESS : 3)
    }
  }
}
