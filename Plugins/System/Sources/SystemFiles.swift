import Glibc
import LinuxObservers
import PluginKit

/// The sources of information about the system. Tests use their own directories.
struct SystemFiles: Sendable {
  /// The path of `/proc`.
  var processes = "/proc"
  /// The path of `/sys/class/power_supply`.
  var powerSupplies = "/sys/class/power_supply"
  /// The number of processors.
  var processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  /// Notifies at once when memory becomes scarce; nil for none.
  var memoryPressure: (any MemoryPressureSource)? = PressureStallSource.shared
  /// Returns the number of bytes that an ordinary user can still write to the disk of a path, or the error number.
  var free: @Sendable (_ path: String) -> Result<Int64, FileError> = SystemFiles.freeBytes

  /// An error number of the C library.
  struct FileError: Error, Equatable {
    var number: Int32
    /// The C library's message.
    var message: String { String(cString: strerror(number)) }
  }

  // MARK: Measurements

  func load(_ settings: LoadBelowSettings) -> Sample {
    let path = "\(processes)/loadavg"
    let fields = (contents(path) ?? "").split(separator: " ")
    guard fields.count > settings.window.field, let average = Double(fields[settings.window.field]), average >= 0 else {
      return Sample(isSatisfied: nil, reason: "the load cannot be read from \(path)")
    }
    let load = settings.perProcessor ? average / Double(processors) : average
    let isBelow = load < settings.below
    let each = settings.perProcessor ? " of each processor" : ""
    return Sample(
      isSatisfied: isBelow,
      reason:
        "the load\(each) over \(settings.window.rawValue) is \(rounded(load)), \(isBelow ? "below" : "not below") "
        + rounded(settings.below))
  }

  func memory(_ settings: MemoryAvailableSettings) -> Sample {
    let path = "\(processes)/meminfo"
    let line = (contents(path) ?? "").split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
    guard let field = line?.split(separator: " ").dropFirst().first, let kibibytes = Int64(field),
      kibibytes >= 0, kibibytes < Int64.max / 1024
    else { return Sample(isSatisfied: nil, reason: "the available memory cannot be read from \(path)") }
    return compare(kibibytes * 1024, with: settings.atLeast, "of memory are available")
  }

  func disk(_ settings: DiskFreeSettings, directory: String?) -> Sample {
    let path =
      settings.path.hasPrefix("/") ? settings.path : directory.map { "\($0)/\(settings.path)" } ?? settings.path
    switch free(path) {
    case .success(let bytes): return compare(bytes, with: settings.atLeast, "are free at \(path)")
    case .failure(let error):
      return Sample(isSatisfied: nil, reason: "the space at \(path) cannot be read: \(error.message)")
    }
  }

  /// A computer without a battery runs on mains power. One with a battery does if a charger supplies power.
  func power() -> Sample {
    var hasBattery = false
    var chargers: [(name: String, isOnline: Bool)] = []
    for name in names(in: powerSupplies) {
      let supply = "\(powerSupplies)/\(name)"
      // The battery of a mouse or a keyboard does not count.
      if word("\(supply)/scope") == "Device" { continue }
      switch word("\(supply)/type") {
      case "Battery": hasBattery = true
      case "Mains", "USB", "Wireless": chargers.append((name, word("\(supply)/online").map { $0 != "0" } ?? false))
      default: break
      }
    }
    if let charger = chargers.first(where: \.isOnline) {
      return Sample(isSatisfied: true, reason: "\(charger.name) supplies power")
    }
    if !hasBattery { return Sample(isSatisfied: true, reason: "there is no battery") }
    return Sample(
      isSatisfied: false,
      reason: chargers.isEmpty
        ? "there is a battery but no charger" : "no charger supplies power: the computer runs on battery")
  }

  // MARK: Reading

  private func compare(_ bytes: Int64, with least: ByteCount, _ what: String) -> Sample {
    let isEnough = bytes >= least.bytes
    return Sample(
      isSatisfied: isEnough,
      reason: "\(SizeNotation.format(bytes)) \(what), \(isEnough ? "at least" : "less than") \(least)")
  }

  private func rounded(_ number: Double) -> String {
    let hundredths = (number * 100).rounded()
    guard abs(hundredths) < 1e15 else { return "\(number)" }
    return "\(hundredths / 100)"
  }

  private func word(_ path: String) -> String? {
    contents(path)?.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }

  private func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the beginning of a file, at most 8 KiB.
  private func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }

  private static func freeBytes(_ path: String) -> Result<Int64, FileError> {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .failure(FileError(number: errno)) }
    let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return .success(overflows ? .max : Int64(clamping: bytes))
  }
}
