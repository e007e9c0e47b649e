import CPluginKit

extension OperationContext {
  /// Creates the context of an instance in a host.
  init(_ link: InstanceLink, _ input: JSONValue, _ deadline: StopDeadline? = nil) {
    self.init()
    pluginClock = HostClock(link: link)
    pluginInput = PluginInput(input)
    if let deadline { pluginStopTime = { deadline.rest(link) } }
    pluginLog = PluginLog { level, message, fields in
      link.host.log(link.id, level, message, fields.isEmpty ? nil : fields.json)
    }
    operationWarningHandler = { warning in link.host.log(link.id, .warning, "\(warning)", nil) }
    pluginProgressHandler = { fraction, message in
      var members: JSONMembers = [:]
      members["fraction"] = fraction.flatMap { $0.isFinite ? .double(min(max($0, 0), 1)) : nil }
      members["message"] = message.map { .string($0) }
      link.host.progress(link.id, .object(members))
    }
    leftOutTeller = { instants in link.host.leaveOut(link.id, instants) }
    pluginSecrets = { name in try await link.host.secret(link.id, name) }
    pluginStorage = PluginStorage(
      get: { key in try JSONValue.parse(try await link.host.stored(link.id, key)) },
      set: { key, value in try await link.host.store(link.id, key, value) },
      list: { prefix in
        try ValueDecoder.decode([String].self, from: try JSONValue.parse(try await link.host.keys(link.id, prefix)))
      })
  }
}

extension [String: JSONValue] {
  /// The object with these members, sorted by name.
  fileprivate var json: JSONValue { .object(JSONMembers(uniqueKeysWithValues: sorted { $0.key < $1.key })) }
}

extension OperationContext {
  private enum LeftOutTellerKey: Key {
    static var defaultValue: (@Sendable (JSONValue) -> penstock_status)? { nil }
  }

  /// Reports instants that are left out to the host, in the contract's format; nil outside a plugin host.
  var leftOutTeller: (@Sendable (JSONValue) -> penstock_status)? {
    get { self[LeftOutTellerKey.self] }
    set { self[LeftOutTellerKey.self] = newValue }
  }
}
