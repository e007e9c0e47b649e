import CProcess
import Glibc
import PipelineService

/// The signals that a run answers to, as a descriptor to wait for.
struct SignalSource {
  /// The first of these cancels the run, the second kills its processes.
  static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]
  static let terminal: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

  let descriptor: Int32

  /// Keeps the signals from doing what they do by default. To be called by the first thread before there are others, which
  /// inherit it; processes of operations are started without it.
  static func block() {
    var set = set(ending + terminal)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// - Throws: ``FailureReport`` when the process is out of descriptors: without this one it could not be cancelled.
  ///
  /// - Parameter numbers: The signals. Default: all that a run answers to.
  init(_ numbers: [Int32] = ending + terminal) throws(FailureReport) {
    var set = Self.set(numbers)
    descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard descriptor >= 0 else { throw .systemCall("signalfd", errno) }
  }

  /// The next signal that has come, or nil.
  func next() -> Int32? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &info, size) == size else { return nil }
    return Int32(info.ssi_signo)
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    // Who was told to ignore hang-ups (nohup) goes on ignoring them.
    for number in numbers where !isIgnored(number) { sigaddset(&set, number) }
    return set
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    guard let handler = action.__sigaction_handler.sa_handler else { return false }
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
