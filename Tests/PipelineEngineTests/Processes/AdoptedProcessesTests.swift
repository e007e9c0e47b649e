import Foundation
import Glibc
import OperatingSystem
import Operations
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Processes that operations leave behind") struct AdoptedProcessesTests {
  private let run = RunID.generate()
  private var mark: String { RunTraces.mark(of: run) }

  /// Starts a child of this process that is not waited for.
  private func start(_ environment: [String]) throws -> Int32 {
    var pid: Int32 = 0
    let arguments = CStringList(["sleep", "1000"].map(CString.init))
    let error = arguments.withPointers { arguments in
      CStringList(environment.map(CString.init)).withPointers {
        posix_spawn(&pid, "/bin/sleep", nil, nil, arguments, $0)
      }
    }
    #expect(error == 0)
    return pid
  }

  private func end(_ pid: Int32) {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  @Test("are found by their mark among the children of the host") func marked() async throws {
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let children = [try start([]), try start(["A=1", mark])]
    defer { children.forEach(end) }
    let traces = RunTraces(of: run, workspace: "/nowhere")
    let (isLeft, isLeftAmongUnknown) = await Task(executorPreference: loop) {
      let delayer = LoopDelayer(loop: loop)
      return (
        await AdoptedProcesses.belong(to: traces, delayer: delayer) { _ in false },
        await AdoptedProcesses.belong(to: traces, delayer: delayer) { $0 == children[1] }
      )
    }.value
    #expect(isLeft)
    #expect(!isLeftAmongUnknown)
  }

  @Test("are searched for only once if every child is being waited for") func known() async throws {
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let child = try start([mark])
    defer { end(child) }
    let traces = RunTraces(of: run, workspace: "/nowhere")
    let (isLeft, looks) = await Task(executorPreference: loop) {
      var looks = 0
      let isLeft = await AdoptedProcesses.belong(to: traces, delayer: LoopDelayer(loop: loop)) {
        if $0 == child { looks += 1 }
        return true
      }
      return (isLeft, looks)
    }.value
    #expect(!isLeft)
    #expect(looks == 1)
  }

  @Test("the process table distinguishes a mark, its absence, and an ended process") func marks() throws {
    let entry = Array(mark.utf8)
    let (bare, marked, ended) = (try start([]), try start([mark]), try start([mark]))
    defer { [bare, marked, ended].forEach(end) }
    kill(ended, SIGKILL)
    var info = siginfo_t()
    waitid(P_PID, id_t(ended), &info, WEXITED | WNOWAIT)
    for child in [bare, marked] { awaitDecision(about: child) }
    // Until they execute their programs, they have the environment of this process.
    #expect(ProcessTable.mark(entry, of: bare) == .absent)
    #expect(ProcessTable.mark(entry, of: marked) == .present)
    #expect(ProcessTable.mark(entry, of: ended) == .gone)
    #expect(ProcessTable.mark(entry, of: getpid()) == .absent)
    #expect(ProcessTable.mark(entry, of: 2) == .absent || getpid() < 100)
    let children = ProcessTable.children()
    #expect(children.contains(bare) && children.contains(marked) && children.contains(ended))
    #expect(!children.contains(getpid()))
  }

  @Test("do not delay the end of a run that has none, whatever other children its host has") func others() async throws
  {
    let child = try start([])
    defer { end(child) }
    awaitDecision(about: child)
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let traces = RunTraces(of: run, workspace: "/nowhere")
    // An unsuccessful search used to be followed by three more, each after a delay.
    let isLeft = await Task(executorPreference: loop) {
      await AdoptedProcesses.belong(to: traces, delayer: NoDelay()) { $0 != child }
    }.value
    #expect(!isLeft)
  }

  /// Fails a test that delays.
  private struct NoDelay: OperationDelayer {
    nonisolated(nonsending) func delay(for duration: Duration) async throws {
      Issue.record("the search waits for \(duration)")
    }
  }

  /// Waits until a child has executed its program: meanwhile, its environment cannot be read for a moment.
  private func awaitDecision(about child: Int32) {
    let deadline = ContinuousClock.now + .seconds(30)
    while ProcessTable.mark(Array(mark.utf8), of: child) == .undecided, ContinuousClock.now < deadline { sched_yield() }
  }
}
