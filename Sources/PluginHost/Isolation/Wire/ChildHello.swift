import Values

/// The first message from a host to its child host, with the child's parameters.
package struct ChildHello: Hashable, Sendable {
  /// The version of the messages. Both sides nearly always come from one build: the child is started from the running program.
  static let version: Int64 = 1

  /// The plugin's file, for messages. The file itself is descriptor 4.
  package var path: String
  /// Bytes of memory beyond what the child uses at this moment: see ``PluginReference/Limits/memory``.
  package var memory: Int64
  /// The maximum number of the child's open descriptors.
  package var descriptors: Int64
  /// The source of the plugin's time.
  package var clock: Clock

  /// The source of a child's time.
  package enum Clock: String, Hashable, Sendable {
    /// The operating system, as for its host.
    case system
    /// Its host, which has its own clock: see ``HostClock``.
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
      throw WireError("messages of version \(version), but this child host uses version \(Self.version)")
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
