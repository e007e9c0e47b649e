/// Why a request cannot be encoded. Reported before anything is sent.
public struct HTTPEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. The raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The text is not a URL.
    case invalidURL = "invalid-url"
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme = "unsupported-scheme"
    /// The method is not a token of HTTP.
    case invalidMethod = "invalid-method"
    /// The name of a field has a character that names cannot have.
    case invalidFieldName = "invalid-field-name"
    /// The value of a field has a line break, a NUL or another control character.
    case invalidFieldValue = "invalid-field-value"
    /// A user name, a password or a token cannot be sent with the chosen scheme.
    case invalidCredentials = "invalid-credentials"
    /// A credentials file, or a file to be sent, cannot be used.
    case unreadableFile = "unreadable-file"
    /// A form has a part that cannot be encoded.
    case invalidForm = "invalid-form"
  }

  /// The kind of failure.
  public var code: Code
  /// What is wrong and what to do, for people to read. Never contains the value of a field, a password or a query.
  public var message: String
  /// The errno if the process had no descriptor or memory to read a file; otherwise nil.
  package var shortage: Int32?

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
