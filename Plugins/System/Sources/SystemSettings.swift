import PluginKit

/// The settings of `uses: system.load-below`.
struct LoadBelowSettings: PluginSettings {
  /// The period of the kernel's average, in minutes.
  enum Window: String, CaseIterable, PluginValue {
    case one = "1m"
    case five = "5m"
    case fifteen = "15m"

    /// The index of the average in `/proc/loadavg`.
    var field: Int {
      switch self {
      case .one: 0
      case .five: 1
      case .fifteen: 2
      }
    }
  }

  @Setting("The limit of the load: tasks that run or wait for the disk, per processor") var below: Double
  @Setting("Whether the load is divided by the number of processors") var perProcessor: Bool = true
  @Setting("The time over which the load is averaged: 1m, 5m or 15m") var window: Window = .one
  @Setting("How often to check; at least 1s") var interval: Duration = .seconds(10)

  func validate() throws {
    guard below > 0 else {
      throw PluginProblem("invalid-settings", setting: "below", "\(below) must be greater than zero")
    }
    try Interval.validate(interval)
  }
}

/// The settings of `uses: system.memory-available`.
struct MemoryAvailableSettings: PluginSettings {
  @Setting("The minimum memory that new programs can use without swapping, such as 2GiB") var atLeast: ByteCount
  @Setting("How often to check; at least 1s. A shortage is noticed at once if the kernel reports it")
  var interval: Duration = .seconds(10)

  func validate() throws { try Interval.validate(interval) }
}

/// The settings of `uses: system.disk-free`.
struct DiskFreeSettings: PluginSettings {
  @Setting("A path on the disk; a relative path starts from the directory of the pipeline file") var path: String =
    "."
  @Setting("The minimum space that an ordinary user can still write, such as 10GiB") var atLeast: ByteCount
  @Setting("How often to check; at least 1s") var interval: Duration = .seconds(30)

  func validate() throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PluginProblem("invalid-settings", setting: "path", "it is not a path")
    }
    try Interval.validate(interval)
  }
}

/// The settings of `uses: system.on-ac-power`.
struct PowerSettings: PluginSettings {
  @Setting("How often to check; at least 1s") var interval: Duration = .seconds(10)

  func validate() throws { try Interval.validate(interval) }
}

/// The rule for all intervals: a measurement is cheap, but not free.
enum Interval {
  static func validate(_ interval: Duration) throws {
    guard interval >= .seconds(1) else {
      throw PluginProblem(
        "invalid-settings", setting: "interval",
        "\(DurationNotation.format(interval)) is too short; it must be at least 1s")
    }
  }
}
