import Values

/// How a host introduces itself to its child host, and what the child is to be.
package struct ChildHello: Hashable, Sendable {
  /// The version of the wire's messages. Both sides come from one build nearly always: the child is started from the program that runs.
  static let version: Int64 = 1

  /// The plugin's file, for messages. The file itself is descriptor 4.
  package var path: String
  /// Bytes of memory beyond what the child has at this moment: see ``PluginReference/Limits/memory``.
  package var memory: Int64
  /// The most descriptors that the child may have.
  package var descriptors: Int64
  /// Whose time the plugin is told.
  package var clock: Clock

  /// Where a child has its time from.
  package enum Clock: String, Hashable, Sendable {
    /// From the operating system, as its host has.
    case system
    /// From its host, which has a clock of its own: see ``HostClock``.
    case host
  }

  package init(path: String, memory: Int64, descriptors: Int64, clock: Clock = .system) {
    self.path = path
    self.memory = memory
    self.descriptors = descriptors
    self.clock = clock
  }

  var members: JSONValue {
    .object([
      "version": .int(Self.version), "path": .string(path), "memory": .int(memory), "descriptors": .int(descriptors),
      "clock": .string(clock.rawValue),
    ])
  }

  init(members: JSONValue) throws(WireError) {
    guard let version = members["version"]?.intValue else { throw WireError("a frame 'hello' without a version") }
    guard version == Self.version else {
      throw WireError("messages of version \(version), where this child host speaks version \(Self.version)")
    }
    guard let path = members["path"]?.stringValue, let memory = members["memory"]?.intValue, memory > 0,
      let descriptors = members["descriptors"]?.intValue, descriptors > 0
    else { throw WireError("a frame 'hello' without a path or limits") }
    guard let clock = members["clock"]?.stringValue.flatMap(Clock.init) else {
      throw WireError("a frame 'hello' without a clock")
    }
    self.init(path: path, memory: memory, descriptors: descriptors, clock: clock)
  }
}
