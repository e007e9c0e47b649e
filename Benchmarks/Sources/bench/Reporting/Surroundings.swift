import FoundationEssentials
import Glibc

/// The machine that was measured on.
struct Surroundings: Sendable, Encodable {
  let processor: String
  let processors: Int
  let kernel: String
  /// The load average of the last minute, before anything was measured.
  let load: Double
  /// When the measurements began, as seconds since 1970.
  let time: Double
  /// The version that `penstock --version` prints.
  let version: String

  init(version: String) {
    let information = KernelFile.text("/proc/cpuinfo").split(separator: "\n")
    let model = information.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    processor = model.map { String($0.drop { $0 == " " }) } ?? "unknown processor"
    processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    kernel = KernelFile.text("/proc/sys/kernel/osrelease").filter { !$0.isNewline }
    load = KernelFile.text("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    time = Double(now.tv_sec)
    self.version = version
  }

  /// One line about it.
  var text: String {
    "penstock \(version) · \(processor), \(processors) processors · Linux \(kernel) · load \(load)"
  }
}
