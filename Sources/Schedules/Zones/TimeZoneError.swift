/// The reason that the rules of a time zone are unavailable.
public enum TimeZoneError: Error, Sendable, Hashable {
  /// The name is not a valid zone name.
  case invalidName(String)
  /// There are zones, but none of this name.
  case unknown(String)
  /// This computer has no time zone database.
  case noDatabase(name: String, directories: [String])
  /// The zone's file exists but cannot be read, for the `reason` that the system reports.
  case unreadable(name: String, path: String, reason: String)
  /// The contents of the zone's file are invalid.
  case damaged(name: String, reason: String)

  /// A stable identifier of the kind of error.
  public var code: String {
    switch self {
    case .invalidName, .unknown: "unknown-time-zone"
    case .noDatabase: "no-time-zones"
    case .unreadable, .damaged: "damaged-time-zone"
    }
  }
}

extension TimeZoneError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .invalidName(let name):
      "'\(name)' is not the name of a time zone; use a name such as Europe/Berlin, America/New_York or UTC"
    case .unknown(let name):
      "there is no time zone '\(name)'; use a name such as Europe/Berlin, America/New_York or UTC"
    case .noDatabase(let name, let directories):
      "the time zone '\(name)' cannot be loaded because there is no time zone database in "
        + directories.map { "'\($0)'" }.joined(separator: ", ")
        + "; install the package tzdata, set TZDIR to where it is, or use UTC"
    case .unreadable(let name, let path, let reason):
      "the time zone '\(name)' cannot be read from '\(path)': \(reason)"
    case .damaged(let name, let reason): "the file of the time zone '\(name)' is damaged: \(reason)"
    }
  }
}
