import Glibc

/// A `penstock serve` that something is measured of.
final class ServedHost {
  /// How long a host may take to be ready, and to end.
  private static let patience = 120.0

  let site: HostSite
  private let process: ChildProcess
  private var isThere = true
  /// From before its start to its telling that it is ready, in seconds.
  private(set) var readySeconds = 0.0

  /// Starts a host, and returns when it is ready.
  init(_ site: HostSite, tool: Tool, scratch: Scratch) throws {
    self.site = site
    let manager = try NotifySocket(path: scratch.path + "/notify")
    scratch.settle()
    let began = WallClock.seconds
    process = try ChildProcess(
      tool.program, ["serve", "--config", site.configuration], variables: ["NOTIFY_SOCKET": manager.path],
      output: site.log)
    while true {
      if let lines = manager.next(seconds: 0.5) {
        if lines.contains("READY=1") { break }
      } else if process.wait(seconds: 0) != nil || WallClock.seconds > began + Self.patience {
        end()
        throw BenchError("a host does not get ready: \(KernelFile.text(site.log).suffix(2000))")
      }
    }
    readySeconds = WallClock.seconds - began
  }

  deinit { end() }

  var usage: ProcessUsage { ProcessUsage(of: process.id) }

  /// Throws if the host has ended by itself.
  func expectLiving() throws {
    guard isThere, let status = process.wait(seconds: 0) else { return }
    isThere = false
    throw BenchError("a host ended with \(status): \(KernelFile.text(site.log).suffix(2000))")
  }

  /// Ends the host, and whatever goes on.
  ///
  /// - Throws: `BenchError` unless it ends well.
  func stop() throws {
    process.signal(SIGTERM)
    guard let status = process.wait(seconds: Self.patience) else {
      end()
      throw BenchError("a host does not end: \(KernelFile.text(site.log).suffix(2000))")
    }
    isThere = false
    guard status == 0 else {
      throw BenchError("a host ended with \(status): \(KernelFile.text(site.log).suffix(2000))")
    }
  }

  private func end() {
    guard isThere else { return }
    isThere = false
    process.signal(SIGKILL)
    process.wait()
  }
}

/// What a process has, as the kernel tells.
struct ProcessUsage: Sendable {
  /// Memory that no file stands behind, in bytes.
  let anonymousBytes: Int
  /// The most memory that it had resident, in bytes.
  let peakBytes: Int
  let threads: Int
  let descriptors: Int
  /// User and system time, in seconds.
  let processorSeconds: Double
  /// How often its threads have slept.
  let wakeUps: Int

  init(of process: pid_t) {
    let directory = "/proc/\(process)"
    let status = KernelFile.text(directory + "/status")
    anonymousBytes = 1024 * (KernelFile.number("Anonymous:", in: KernelFile.text(directory + "/smaps_rollup")) ?? 0)
    peakBytes = 1024 * (KernelFile.number("VmHWM:", in: status) ?? 0)
    threads = KernelFile.number("Threads:", in: status) ?? 0
    descriptors = KernelFile.names(in: directory + "/fd").count
    wakeUps = KernelFile.names(in: directory + "/task").reduce(0) { sum, thread in
      let status = KernelFile.text("\(directory)/task/\(thread)/status")
      return sum + (KernelFile.number("voluntary_ctxt_switches:", in: status) ?? 0)
    }
    var clock = clockid_t()
    var time = timespec()
    // Without the rounding to hundredths of a second in /proc.
    if clock_getcpuclockid(process, &clock) == 0 { clock_gettime(clock, &time) }
    processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
