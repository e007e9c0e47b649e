import Workspace

/// What several processes read and change at once: a version, of which no two are the same.
public struct Register: Storable, Equatable {
  public var key: Int
  public var version: Int

  public init(key: Int, version: Int) {
    self.key = key
    self.version = version
  }

  public static let key = Field("key", \Register.key)
  public static let version = Field("version", \Register.version)
  public static let schema = ObjectSchema("register", Register.init, key, version, key: key)
}

/// Opens a workspace of registers.
public func openRegisters(_ directory: String, patience: Duration = .seconds(30)) throws -> Workspace {
  try Workspace.open(
    at: directory, schema: WorkspaceSchema(applicationID: 0x7465_7374, objects: [Register.self]), mode: .readWrite,
    patience: patience)
}

/// A sequence of random numbers that a seed repeats.
public struct Repeatable: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
