/// Why the rules of a time zone cannot be had.
public enum TimeZoneError: Error, Sendable, Hashable {
  /// `name` is not what a zone can be called.
  case invalidName(String)
  /// There are zones, but none of this name.
  case unknown(String)
  /// There are no zones on this computer at all.
  case noDatabase(name: String, directories: [String])
  /// The file of the zone is there, and cannot be read, for the `reason` that the system gives.
  case unreadable(name: String, path: String, reason: String)
  /// What is in the file is not what a zone's file holds.
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
      "'\(name)' is not the name of a time zone; names are like Europe/Berlin, America/New_York or UTC"
    case .unknown(let name): "there is no time zone '\(name)'; names are like Europe/Berlin, America/New_York or UTC"
    case .noDatabase(let name, let directories):
      "the time zone '\(name)' cannot be looked up, because there is no time zone database in "
        + directories.map { "'\($0)'" }.joined(separator: ", ")
        + "; install the package tzdata, set TZDIR to where it is, or use UTC"
    case .unreadable(let name, let path, let reason):
      "the time zone '\(name)' cannot be read from '\(path)': \(reason)"
    case .damaged(let name, let reason): "the file of the time zone '\(name)' is damaged: \(reason)"
    }
  }
}
