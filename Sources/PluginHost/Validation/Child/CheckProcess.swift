import CProcess
import Glibc
import OperatingSystem
import Values

/// The process of one check, from the validator's side: starts it, reads its messages, and kills it if it takes too long.
struct CheckProcess {
  let validation: PluginValidation
  let check: PluginCheck
  let offer: String?

  /// The result of the process.
  struct Answer {
    var result: PluginCheckResult
    var plugin: String?
    var offers: [String] = []
  }

  func run() -> Answer {
    let clock = ContinuousClock()
    let began = clock.now
    var telling = Telling()
    let ending: Ending
    do throws(SystemError) {
      ending = try start(&telling, deadline: began + patience)
    } catch {
      ending = .notStarted(error.number)
    }
    telling.finish()
    let outcome = telling.outcome ?? .failed([explain(ending, telling)])
    return Answer(
      result: PluginCheckResult(
        check: check, offer: offer, outcome: outcome, note: telling.note, duration: clock.now - began),
      plugin: telling.plugin, offers: telling.offers)
  }

  private var patience: Duration { validation.patience ?? check.patience }

  /// The way in which the process ended.
  private enum Ending {
    case ended(penstock_exit)
    case hung
    case tooLarge
    case notStarted(Int32)
  }

  private func start(
    _ telling: inout Telling, deadline: ContinuousClock.Instant
  ) throws(SystemError) -> Ending {
    var output = try OutputPipe()
    var errors = try OutputPipe()
    guard let scratch = ScratchDirectory() else { return .notStarted(errno) }
    var pid: pid_t = 0
    var pidfd: Int32 = -1
    let failure = spawn(in: scratch.path, output: output.writeEnd, errors: errors.writeEnd, &pid, &pidfd)
    output.closeWriteEnd()
    errors.closeWriteEnd()
    guard failure == 0 else { return .notStarted(failure) }
    defer { close(pidfd) }
    let clock = ContinuousClock()
    var isOver = false
    var nextLook = clock.now
    func end(_ ending: Ending) -> Ending {
      kill(-pid, SIGKILL)
      var exit = penstock_exit()
      var wait = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
      // After SIGKILL, it is certain to end.
      while penstock_reap(pidfd, &exit) == EAGAIN { _ = poll(&wait, 1, 1000) }
      telling.read(output.readEnd, errors.readEnd)
      return ending
    }
    while !isOver {
      var waits = [output.readEnd, errors.readEnd, pidfd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if telling.isSilent { waits[0].fd = -1 }
      if telling.hasNoErrors { waits[1].fd = -1 }
      let left = (deadline - clock.now).wholeMilliseconds
      guard left > 0 else { return end(.hung) }
      let count = poll(&waits, 3, Int32(min(left, MemoryUse.intervals.first)))
      if clock.now >= nextLook {
        nextLook = clock.now + .milliseconds(MemoryUse.intervals.first)
        let most = validation.memory.addingSaturating(MemoryUse.allowance)
        if let bytes = MemoryUse.bytes(of: pid), bytes > most { return end(.tooLarge) }
      }
      if count == 0 { continue }
      telling.read(output.readEnd, errors.readEnd)
      isOver = waits[2].revents != 0
    }
    telling.read(output.readEnd, errors.readEnd)
    var exit = penstock_exit()
    let reaped = penstock_reap(pidfd, &exit)
    // Kill the processes that it left running.
    kill(-pid, SIGKILL)
    return reaped == 0 ? .ended(exit) : .notStarted(reaped)
  }

  private func spawn(
    in directory: String, output: Int32, errors: Int32, _ pid: inout pid_t, _ pidfd: inout Int32
  ) -> Int32 {
    var arguments = validation.child + ["--check", check.rawValue, "--seed", String(validation.seed)]
    arguments += ["--memory", String(validation.memory)]
    arguments += ["--grace", String(validation.grace.wholeMilliseconds), "--directory", directory]
    if let offer { arguments += ["--offer", offer] }
    for (id, settings) in validation.settings.sorted(by: { $0.key < $1.key }) {
      arguments += ["--settings", "\(id)=\(settings.text)"]
    }
    arguments += ["--", validation.file]
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var environment =
      ChildLaunch.environmentEntries(adding: validation.environment).map { strdup($0) } + [nil]
    defer { for variable in environment { free(variable) } }
    guard let path = validation.child.first else { return ENOENT }
    return path.withCString { path in
      "/dev/null".withCString { null in
        withBuffers(&pointers, &environment) { pointers, environment in
          var request = penstock_spawn_request()
          request.path = path
          request.arguments = UnsafePointer(pointers.baseAddress)
          request.environment = UnsafePointer(environment.baseAddress)
          request.input = penstock_stream(descriptor: -1, path: null)
          request.output = penstock_stream(descriptor: output, path: nil)
          request.error = penstock_stream(descriptor: errors, path: nil)
          return penstock_spawn(&request, &pid, &pidfd)
        }
      }
    }
  }

  private typealias Pointers = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  private func withBuffers(
    _ one: inout [UnsafeMutablePointer<CChar>?], _ other: inout [UnsafeMutablePointer<CChar>?],
    _ body: (Pointers, Pointers) -> Int32
  ) -> Int32 {
    one.withUnsafeMutableBufferPointer { one in other.withUnsafeMutableBufferPointer { other in body(one, other) } }
  }

  private func explain(_ ending: Ending, _ telling: Telling) -> String {
    let moment = telling.doing.isEmpty ? "" : " while the check did this: \(telling.doing)"
    let last = telling.lastErrors
    let said = last.isEmpty ? "" : "; its last output on standard error: \(last)"
    switch ending {
    case .ended(let exit) where exit.signal != 0:
      return "it crashed with \(Self.name(ofSignal: exit.signal))\(moment)\(said)"
    case .ended(let exit): return "it ended the process with exit code \(exit.exit_code)\(moment)\(said)"
    case .hung: return "it hung: it had not finished after \(patience.wholeMilliseconds) ms\(moment)\(said)"
    case .tooLarge:
      return
        "it used more than the \(validation.memory >> 20) MiB of memory that a check allows (--memory)\(moment)\(said)"
    case .notStarted(let error):
      return "cannot start the process for the check: \(SystemError.text(of: error))"
    }
  }

  private static func name(ofSignal signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGKILL: "SIGKILL", SIGPIPE: "SIGPIPE",
      SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGUSR1: "SIGUSR1",
      SIGUSR2: "SIGUSR2", SIGHUP: "SIGHUP", SIGALRM: "SIGALRM",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}

/// The messages and output of the process of a check.
private struct Telling {
  private var unread: [UInt8] = []
  private var errors: [UInt8] = []
  private(set) var isSilent = false
  private(set) var hasNoErrors = false
  private(set) var doing = ""
  private(set) var plugin: String?
  private(set) var offers: [String] = []
  private(set) var outcome: PluginCheckResult.Outcome?
  private(set) var note = ""

  /// Reads what is available, without waiting.
  mutating func read(_ output: Int32, _ errors: Int32) {
    if !isSilent { isSilent = Self.drain(output, into: &unread) }
    takeLines()
    if !hasNoErrors { hasNoErrors = Self.drain(errors, into: &self.errors) }
    // A plugin may write any amount; only the end is of interest.
    if self.errors.count > 65_536 { self.errors.removeFirst(self.errors.count - 4096) }
  }

  mutating func finish() { takeLines() }

  /// The last non-blank line of standard error, truncated.
  var lastErrors: String {
    let lines = errors.split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last(where: { $0.contains { $0 > 32 } }) else { return "" }
    return String(decoding: last.prefix(300), as: UTF8.self)
  }

  /// Returns whether the end was reached.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { bytes += buffer[..<count] } else { return count == 0 }
    }
  }

  private mutating func takeLines() {
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(unread[..<end])
      unread.removeFirst(end + 1)
      guard let json = try? JSONValue.parse(line), let message = CheckMessage(json) else { continue }
      switch message {
      case .doing(let text): doing = text
      case .plugin(let id, let offers):
        plugin = id
        self.offers = offers
      case .result(let outcome, let note):
        self.outcome = outcome
        self.note = note
      }
    }
  }
}
