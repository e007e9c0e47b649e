import CProcess
import Glibc
import PipelineService
import RunHistory

/// The signals that a run handles, as a descriptor to wait for.
struct SignalSource {
  /// The first of these cancels the run, and the second kills its processes.
  static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]
  static let terminal: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

  let descriptor: Int32

  /// Blocks the signals, which disables their default actions. Must be called by the first thread before others exist, because they inherit the mask;
  /// processes of operations are started without it.
  ///
  /// - Parameter numbers: The signals. Default: all that a run handles.
  static func block(_ numbers: [Int32] = ending + terminal) {
    var set = set(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// - Throws: ``FailureReport`` if the process is out of descriptors: without this one, it could not be cancelled.
  ///
  /// - Parameter numbers: The signals. Default: all that a run handles.
  init(_ numbers: [Int32] = ending + terminal) throws(FailureReport) {
    var set = Self.set(numbers)
    descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard descriptor >= 0 else { throw .systemCall("signalfd", errno) }
  }

  /// A received signal.
  struct Arrival {
    let number: Int32
    /// Whether it was sent by the kernel, as for a key on the terminal, rather than by a process.
    let isFromKernel: Bool
  }

  /// Returns the next received signal, or nil.
  func next() -> Arrival? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &info, size) == size else { return nil }
    return Arrival(number: Int32(info.ssi_signo), isFromKernel: info.ssi_code == Self.fromKernel)
  }

  /// `SI_KERNEL`, which is an enumerator of an unnamed type in C.
  private static let fromKernel: Int32 = 0x80

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    // A process that was started to ignore hang-ups (nohup) continues to ignore them.
    for number in numbers where !isIgnored(number) { sigaddset(&set, number) }
    return set
  }

  /// Returns whether the process was started with a signal ignored, as shells without job control do with SIGINT for background processes.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    guard let handler = action.__sigaction_handler.sa_handler else { return false }
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

extension RunCanceller {
  /// Creates the canceller that a terminating signal stands for.
  init(_ signal: SignalSource.Arrival) {
    switch signal.number {
    case SIGINT where signal.isFromKernel: self.init(means: .terminal)
    case SIGINT: self.init(means: .signal("SIGINT"))
    case SIGTERM: self.init(means: .signal("SIGTERM"))
    case SIGHUP: self.init(means: .signal("SIGHUP"))
    default: self.init(means: .signal("signal \(signal.number)"))
    }
  }
}
