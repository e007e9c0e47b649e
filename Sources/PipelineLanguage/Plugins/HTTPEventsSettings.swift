import HTTPOperations
import HTTPTypes
import PluginHost
import Values

/// The checked settings under `with` of `http.events`.
package struct HTTPEventsSettings {
  package let url: HTTPURL
  /// The URL as written in the file, which identifies the feed.
  package let text: String
  /// The event types to handle; empty means all.
  package let types: Set<String>
  let fields: HTTPFields
  /// The header fields with secrets as values, with the names of the secrets.
  let secretFields: [(name: String, secret: String)]
  let bearer: String?
  package let reconnect: Duration
  package let silence: Duration
  package let remembers: Bool

  /// Creates the settings from resolved values.
  ///
  /// - Throws: A failure with the code `invalid-settings` that names the setting.
  package init(_ settings: JSONValue) throws(PluginFailure) {
    text = settings["url"]?.stringValue ?? ""
    do {
      url = try HTTPURL(text)
    } catch {
      throw Self.failure("url", error.message)
    }
    types = Set((settings["events"]?.arrayValue ?? []).compactMap(\.stringValue))
    var fields = HTTPFields()
    for (name, value) in try Self.members("headers", settings) {
      do {
        try fields.append(name: name, value: value)
      } catch {
        throw Self.failure("headers", error.message)
      }
    }
    self.fields = fields
    secretFields = try Self.members("secret_headers", settings)
    for (name, _) in secretFields {
      do {
        _ = try HTTPField.Name(checking: name)
      } catch {
        throw Self.failure("secret_headers", error.message)
      }
    }
    bearer = settings["bearer"]?.stringValue
    reconnect = try Self.duration("reconnect", settings, default: .seconds(3))
    silence = try Self.duration("silence", settings, default: .seconds(300))
    remembers = settings["remember"] != .bool(false)
  }

  /// Returns the request, with the secrets that `read` returns.
  package func request(reading read: PluginAccess.Secrets?) async throws(PluginFailure) -> HTTPTransferRequest {
    var request = HTTPTransferRequest(url: url.text, fields: fields)
    var secretNames: Set<HTTPField.Name> = []
    if let user = url.user,
      let value = try? HTTPAuthorization.basic(user: user, password: url.password ?? "")
        .fieldValue(for: url.host)
    {
      request.fields[.authorization] = value
    }
    if let bearer {
      let token = try await Self.secret(bearer, "bearer", read)
      do {
        request.fields[.authorization] = try HTTPAuthorization.bearer(token).fieldValue(for: url.host)
      } catch {
        throw Self.failure("bearer", error.message)
      }
    }
    for (name, secret) in secretFields {
      let value = try await Self.secret(secret, "secret_headers", read)
      do {
        try request.fields.append(name: name, value: value)
        secretNames.insert(try HTTPField.Name(checking: name))
      } catch {
        throw Self.failure("secret_headers", error.message)
      }
    }
    request.options.redirects = .follow(limit: 10, secretFields: secretNames, allowsInsecure: false)
    return request
  }

  /// Returns the failure if the settings name a secret that is not in `given`; otherwise nil.
  func secretMissing(in given: Set<String>) -> PluginFailure? {
    let asked = (bearer.map { [("bearer", $0)] } ?? []) + secretFields.map { ("secret_headers", $0.secret) }
    guard let (setting, name) = asked.first(where: { !given.contains($0.1) }) else { return nil }
    return Self.notGiven(name, setting)
  }

  private static func notGiven(_ name: String, _ setting: String) -> PluginFailure {
    failure(setting, "the secret '\(name)' is not given to 'http'; write 'plugins: {http: {secrets: [\(name)]}}'")
  }

  private static func secret(
    _ name: String, _ setting: String, _ read: PluginAccess.Secrets?
  ) async throws(PluginFailure) -> String {
    do throws(PluginAccessError) {
      guard let read else { throw PluginAccessError.unavailable }
      return try await read(name)
    } catch {
      switch error {
      case .denied, .unknown:
        throw notGiven(name, setting)
      case .unavailable:
        throw PluginFailure(code: "secret-unavailable", message: "the secret '\(name)' cannot be read")
      }
    }
  }

  /// Returns the members of an object with string values.
  private static func members(
    _ name: String, _ settings: JSONValue
  ) throws(PluginFailure) -> [(name: String, secret: String)] {
    guard let value = settings[name], value != .null else { return [] }
    guard let object = value.objectValue else { throw failure(name, "it needs an object of texts") }
    var members: [(name: String, secret: String)] = []
    for (key, value) in object {
      guard let text = value.stringValue else { throw failure(name, "the value of '\(key)' is not a text") }
      members.append((key, text))
    }
    return members
  }

  private static func duration(
    _ name: String, _ settings: JSONValue, default standard: Duration
  ) throws(PluginFailure) -> Duration {
    guard let value = settings[name] else { return standard }
    guard let duration = value.stringValue.flatMap(DurationNotation.parse), duration > .zero else {
      throw failure(name, "it must be greater than zero")
    }
    return duration
  }

  private static func failure(_ setting: String, _ message: String) -> PluginFailure {
    PluginFailure(
      code: PluginError.Code.settings.rawValue, message: "\(setting): \(message)",
      detail: ["setting": .string(setting)])
  }
}
