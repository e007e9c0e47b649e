import Workspace

/// An object that several processes read and change concurrently: its versions are unique.
package struct Register: Storable, Equatable {
  package var key: Int
  package var version: Int

  package init(key: Int, version: Int) {
    self.key = key
    self.version = version
  }

  package static let key = Field("key", \Register.key)
  package static let version = Field("version", \Register.version)
  package static let schema = ObjectSchema("register", Register.init, key, version, key: key)
}

/// Opens a workspace of registers.
package func openRegisters(_ directory: String, patience: Duration = .seconds(30)) throws -> OpenWorkspace {
  try OpenWorkspace.open(
    at: directory, schema: WorkspaceSchema(applicationID: 0x7465_7374, objects: [Register.self]), mode: .readWrite,
    patience: patience)
}

/// A sequence of random numbers that is reproducible from a seed.
package struct Repeatable: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
