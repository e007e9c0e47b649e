/// Why a request cannot be written down as it was asked for. Found before anything is sent.
public struct HTTPEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is. The raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The text is no URL.
    case invalidURL = "invalid-url"
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme = "unsupported-scheme"
    /// The method is no word of HTTP.
    case invalidMethod = "invalid-method"
    /// The name of a field has characters that names cannot have.
    case invalidFieldName = "invalid-field-name"
    /// The value of a field has a line break, a NUL or another character that would end it.
    case invalidFieldValue = "invalid-field-value"
    /// A user's name, a password or a token cannot be sent in the way that was asked for.
    case invalidCredentials = "invalid-credentials"
    /// A file of credentials, or one that is sent, cannot be used.
    case unreadableFile = "unreadable-file"
    /// A form has a part that cannot be written.
    case invalidForm = "invalid-form"
  }

  /// What kind of failure it is.
  public var code: Code
  /// What is wrong, and what to do: for people. Never holds the value of a field, a password or a query.
  public var message: String
  /// The error number where the process had no descriptor or memory to read a file; else nil.
  package var shortage: Int32?

  /// A failure.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
