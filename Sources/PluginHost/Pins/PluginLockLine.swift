extension PluginLock {
  /// One pinned plugin for one processor architecture.
  public struct Line: Sendable, Hashable {
    /// The plugin's id, as derived from the name of its file.
    public let id: String
    /// The plugin's version, with `_` for white space; nil if unknown. It informs people, and is not checked.
    public let version: String?
    /// The processor architecture that the file is for, such as `x86_64`; nil if unknown.
    public let architecture: String?
    /// 64 lower-case hexadecimal digits.
    public let sha256: String
    /// The URL from which the file comes, or its path: relative to the lock's directory, or absolute. Nil if neither is known.
    public let location: String?
    /// The line's number in the file, from 1; nil if it was not read from one. Equality ignores it.
    public let number: Int?

    /// Creates a line that pins `id`.
    public init(
      id: String, version: String? = nil, architecture: String? = nil, sha256: String, location: String? = nil,
      number: Int? = nil
    ) {
      self.id = id
      self.version = version.map { String($0.map { $0.isWhitespace ? "_" : $0 }) }
      self.architecture = architecture
      self.sha256 = sha256
      self.location = location
      self.number = number
    }

    /// Whether the location is a URL rather than a path.
    public var isURL: Bool { location?.contains("://") ?? false }

    /// Whether the file is for this computer's architecture, as far as known.
    public var isForThisComputer: Bool { architecture == nil || architecture == ProcessorArchitecture.own }

    /// The line as it is written.
    public var text: String {
      let parts = [id, version ?? "-", architecture ?? "-", sha256] + (location.map { [$0] } ?? [])
      return parts.joined(separator: " ")
    }

    /// Whether the line, when written, is read as it is.
    var isWritable: Bool {
      !id.isEmpty && !id.contains(where: \.isWhitespace) && !(location ?? "").contains(where: \.isNewline)
    }

    /// Whether both lines pin the same, whatever their numbers.
    public static func == (left: Self, right: Self) -> Bool {
      left.id == right.id && left.version == right.version && left.architecture == right.architecture
        && left.sha256 == right.sha256 && left.location == right.location
    }

    /// Hashes the members that equality compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      hasher.combine(version)
      hasher.combine(architecture)
      hasher.combine(sha256)
      hasher.combine(location)
    }
  }
}
