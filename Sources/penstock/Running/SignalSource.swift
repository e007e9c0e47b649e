import CProcess
import Glibc
import PipelineService
import RunHistory

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

  /// A signal that has come.
  struct Arrival {
    let number: Int32
    /// Whether the kernel sent it, as for a key on the terminal, and no process.
    let isFromKernel: Bool
  }

  /// The next signal that has come, or nil.
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
    // Who was told to ignore hang-ups (nohup) goes on ignoring them.
    for number in numbers where !isIgnored(number) { sigaddset(&set, number) }
    return set
  }

  /// Whether whoever started the process has told it to ignore a signal, as shells without job control do with SIGINT of what they start in the background.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    guard let handler = action.__sigaction_handler.sa_handler else { return false }
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

extension RunCanceller {
  /// Who or what a signal that asks a run to end stands for.
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
