import Values

/// A request of an instance in a child to the host's services.
struct ServiceRequest: Hashable, Sendable {
  enum Question: Hashable, Sendable {
    case secret(String)
    case value(key: String)
    /// Sets the value of a key; removes it if the value is nil.
    case set(key: String, JSONValue?)
    case keys(prefix: String)
  }

  /// The instance that makes the request. It may have ended by now.
  let instance: UInt64
  let question: Question

  func append(to bytes: inout [UInt8]) {
    bytes.appendInteger(instance)
    switch question {
    case .secret(let name): Self.append(1, name, to: &bytes)
    case .value(let key): Self.append(2, key, to: &bytes)
    case .set(let key, let value):
      Self.append(3, key, to: &bytes)
      value?.writeExactly(to: &bytes)
    case .keys(let prefix): Self.append(4, prefix, to: &bytes)
    }
  }

  private static func append(_ service: UInt8, _ text: String, to bytes: inout [UInt8]) {
    bytes.append(service)
    bytes.appendText { $0.append(contentsOf: text.utf8) }
  }

  init(instance: UInt64, _ question: Question) {
    self.instance = instance
    self.question = question
  }

  /// - Throws: ``WireError`` if the bytes are not a request.
  init(_ reader: inout PayloadReader) throws(WireError) {
    instance = try reader.integer()
    let service = try reader.integer(UInt8.self)
    let text = try reader.textWithLength()
    switch service {
    case 1: question = .secret(text)
    case 2: question = .value(key: text)
    case 3: question = .set(key: text, try reader.restOptionalJSON())
    case 4: question = .keys(prefix: text)
    default: throw WireError("a request to an unknown service \(service)")
    }
  }
}

/// The host's answer to a request.
struct ServiceAnswer: Hashable, Sendable {
  enum Status: UInt8, Sendable {
    case ok = 0
    case denied = 1
    case unknown = 2
    case unavailable = 3
  }

  let status: Status
  /// The text of a secret, or a value or a list of keys as JSON; empty if there is none.
  let value: String

  init(_ status: Status, _ value: String = "") {
    self.status = status
    self.value = value
  }

  /// Creates an answer with a value as JSON.
  init(_ status: Status, _ value: JSONValue) {
    var bytes: [UInt8] = []
    value.writeExactly(to: &bytes)
    self.init(status, String(decoding: bytes, as: UTF8.self))
  }

  init(refusal error: PluginAccessError) {
    switch error {
    case .denied: self.init(.denied)
    case .unknown: self.init(.unknown)
    case .unavailable: self.init(.unavailable)
    }
  }

  /// Returns the value, or throws the reason why there is none.
  func get() throws(PluginAccessError) -> String {
    switch status {
    case .ok: return value
    case .denied: throw .denied
    case .unknown: throw .unknown
    case .unavailable: throw .unavailable
    }
  }
}
