import Glibc
import OperationsTesting
import Synchronization
import Testing

@testable import LinuxObservers
@testable import Operations

/// Each test runs in a separate process with its own terminal, because signals and terminals belong to the process.
@Suite("Terminal activity observer", .timeLimit(.minutes(10)))
struct TerminalActivityObserverTests {
  @Test("A process without a terminal is always active")
  func noTerminal() async {
    await #expect(processExitsWith: .exitCode(7)) {
      leaveTerminal()
      guard TerminalActivityObserver.shared.isApplicationActive else { exit(1) }
      let seen = Log<Bool>()
      let subscription = TerminalActivityObserver.shared.subscribe { seen.append($0) }
      guard seen.elements == [true], TerminalActivityObserver.shared.failure == nil else { exit(2) }
      subscription.cancel()
      exit(7)
    }
  }

  @Test("The state follows the terminal's foreground process group at job control signals")
  func foreground() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard let terminal = TestTerminal() else { exit(1) }
      let (values, continuation) = AsyncStream<Bool>.makeStream()
      let subscription = TerminalActivityObserver.shared.subscribe { continuation.yield($0) }
      var told = values.makeAsyncIterator()
      guard await told.next() == true else { exit(2) }

      guard let other = terminal.startGroup() else { exit(3) }
      terminal.setForeground(other)
      guard !TerminalActivityObserver.shared.isApplicationActive else { exit(4) }
      kill(getpid(), SIGCONT)
      guard await told.next() == false, TerminalActivityObserver.shared.activityChangedAt != nil else { exit(5) }

      terminal.setForeground(getpgrp())
      kill(getpid(), SIGCONT)
      guard await told.next() == true else { exit(6) }
      subscription.cancel()
      kill(other, SIGKILL)
      exit(7)
    }
  }

  @Test("Subscribers are notified of Ctrl-Z before the process stops, and again when it continues")
  func stop() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      let (values, continuation) = AsyncStream<Bool>.makeStream()
      let subscription = TerminalActivityObserver.shared.subscribe { continuation.yield($0) }
      var told = values.makeAsyncIterator()
      guard await told.next() == true else { exit(2) }
      // A session leader cannot be stopped this way, because no shell could continue it: it continues at once.
      kill(getpid(), SIGTSTP)
      guard await told.next() == false, await told.next() == true else { exit(3) }
      kill(getpid(), SIGTSTP)
      guard await told.next() == false, await told.next() == true else { exit(4) }
      subscription.cancel()
      exit(7)
    }
  }

  @Test("At Ctrl-Z, reading the state returns what subscribers receive")
  func askedAtStop() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      let observer = TerminalActivityObserver.shared
      let (values, continuation) = AsyncStream<[Bool]>.makeStream()
      let subscription = observer.subscribe { continuation.yield([$0, observer.isApplicationActive]) }
      var told = values.makeAsyncIterator()
      guard await told.next() == [true, true] else { exit(2) }
      kill(getpid(), SIGTSTP)
      guard await told.next() == [false, false] else { exit(3) }
      guard await told.next() == [true, true] else { exit(4) }
      subscription.cancel()
      exit(7)
    }
  }

  @Test("An operation reruns when its process continues in the foreground")
  func rerunAfterStop() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      let (runs, continuation) = AsyncStream<Void>.makeStream()
      let query = Told(runs: continuation)
      let foreground = ApplicationIsActiveRunSpecification(observer: TerminalActivityObserver.shared)
      let store = OperationStore.detached(query.rerunOnChange(of: foreground).disableAutomaticRunning(false))
      let subscription = store.subscribe(with: OperationEventHandler())
      var run = runs.makeAsyncIterator()
      // The run for the first subscriber.
      _ = await run.next()
      kill(getpid(), SIGTSTP)
      _ = await run.next()
      subscription.cancel()
      exit(7)
    }
  }

  @Test("The first subscriber after an unsignalled move to the foreground is notified of Ctrl-Z")
  func silentMove() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard let terminal = TestTerminal(), let other = terminal.startGroup() else { exit(1) }
      terminal.setForeground(other)
      let (values, continuation) = AsyncStream<Bool>.makeStream()
      let subscription = TerminalActivityObserver.shared.subscribe { continuation.yield($0) }
      var told = values.makeAsyncIterator()
      guard await told.next() == false else { exit(2) }
      // As `fg` does for a running job.
      terminal.setForeground(getpgrp())
      kill(getpid(), SIGTSTP)
      guard await told.next() == true, await told.next() == false, await told.next() == true else { exit(3) }
      subscription.cancel()
      kill(other, SIGKILL)
      exit(7)
    }
  }

  @Test("The descriptor that a signal handler writes to is never reused for another file")
  func handlerDescriptor() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      let before = eventDescriptors()
      for _ in 0..<3 {
        let subscription = TerminalActivityObserver.shared.subscribe { _ in }
        while observerThreadCount() < 1 { await Task.yield() }
        guard eventDescriptors().count > before.count else { exit(2) }
        subscription.cancel()
        while observerThreadCount() > 0 { await Task.yield() }
        // A handler on another thread may have read the number just before the end.
        guard eventDescriptors().subtracting(before).count == 1 else { exit(3) }
      }
      exit(7)
    }
  }

  @Test("The host's handlers are still called, and restored")
  func composes() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      // Accessed before the handler is installed, because a global is initialized on first use.
      hostSignals.store(0, ordering: .relaxed)
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in hostSignals.add(1, ordering: .relaxed) }
      sigaction(SIGTSTP, &action, nil)
      sigaction(SIGCONT, &action, nil)
      let seen = Log<Bool>()
      let subscription = TerminalActivityObserver.shared.subscribe { seen.append($0) }
      kill(getpid(), SIGTSTP)
      // A SIGCONT discards a SIGTSTP that has not arrived yet.
      while hostSignals.load(ordering: .relaxed) < 1 { await Task.yield() }
      kill(getpid(), SIGCONT)
      while hostSignals.load(ordering: .relaxed) < 2 { await Task.yield() }
      guard seen.elements == [true] else { exit(2) }
      subscription.cancel()
      kill(getpid(), SIGCONT)
      while hostSignals.load(ordering: .relaxed) < 3 { await Task.yield() }
      var (stop, go) = (sigaction(), sigaction())
      sigaction(SIGTSTP, nil, &stop)
      sigaction(SIGCONT, nil, &go)
      let expected = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      guard unsafeBitCast(stop.__sigaction_handler.sa_handler, to: Int.self) == expected else { exit(3) }
      guard unsafeBitCast(go.__sigaction_handler.sa_handler, to: Int.self) == expected else { exit(4) }
      // Once more, after the handler was restored.
      let again = TerminalActivityObserver.shared.subscribe { seen.append($0) }
      kill(getpid(), SIGCONT)
      while hostSignals.load(ordering: .relaxed) < 4 { await Task.yield() }
      again.cancel()
      exit(7)
    }
  }

  @Test("A SIGTSTP that the host ignores stays ignored")
  func ignored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard TestTerminal() != nil else { exit(1) }
      signal(SIGTSTP, SIG_IGN)
      let (values, continuation) = AsyncStream<Bool>.makeStream()
      let subscription = TerminalActivityObserver.shared.subscribe { continuation.yield($0) }
      kill(getpid(), SIGTSTP)
      kill(getpid(), SIGCONT)
      continuation.finish()
      var told: [Bool] = []
      for await value in values { told.append(value) }
      guard told == [true] else { exit(2) }
      subscription.cancel()
      exit(7)
    }
  }
}

/// Returns the numbers of this process's event descriptors.
private func eventDescriptors() -> Set<Int32> {
  var numbers: Set<Int32> = []
  for number in Int32(0)..<256 {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/self/fd/\(number)", &target, target.count)
    guard length > 0 else { continue }
    let name = String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if name.hasPrefix("anon_inode:[eventfd") { numbers.insert(number) }
  }
  return numbers
}

/// Modified by a signal handler of a test's own process.
private let hostSignals = Atomic(0)

/// A query that reports each of its runs.
private struct Told: QueryRequest {
  let runs: AsyncStream<Void>.Continuation

  var path: OperationPath { ["told"] }

  func fetch(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Int, any Error>
  ) async throws -> Int {
    runs.yield()
    return 1
  }
}
