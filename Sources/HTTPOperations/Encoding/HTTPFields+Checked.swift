public import HTTPTypes

extension HTTPFields {
  /// Adds a field whose name and value come from outside.
  ///
  /// - Parameters:
  ///   - name: The name, in any case.
  ///   - value: The value. A line break in it would begin another field, so it is rejected, as are NUL and other control characters except the tab.
  ///     Surrounding white space is removed.
  /// - Throws: ``HTTPEncodingError``, which contains the name and never the value.
  public mutating func append(name: String, value: String) throws(HTTPEncodingError) {
    append(HTTPField(name: try .init(checking: name), value: try HTTPField.check(value, of: name)))
  }
}

extension HTTPField.Name {
  /// Validates a name that comes from outside.
  ///
  /// - Throws: ``HTTPEncodingError`` of code `invalid-field-name`.
  public init(checking name: String) throws(HTTPEncodingError) {
    guard let valid = HTTPField.Name(name), !name.hasPrefix(":") else {
      throw HTTPEncodingError(
        .invalidFieldName,
        "'\(shownName(name))' cannot be the name of a field: names contain only letters, digits and !#$%&'*+-.^_`|~")
    }
    self = valid
  }
}

extension HTTPField {
  /// Returns the value without surrounding white space.
  ///
  /// - Throws: ``HTTPEncodingError`` of code `invalid-field-value`.
  static func check(_ value: String, of name: String) throws(HTTPEncodingError) -> String {
    for byte in value.utf8 {
      let problem: String
      switch byte {
      case 0x0A, 0x0D: problem = "a line break, which would begin another field"
      case 0: problem = "a NUL character"
      case 0x09, 0x20...0x7E, 0x80...: continue
      default: problem = "a control character"
      }
      throw HTTPEncodingError(.invalidFieldValue, "the value of the field '\(shownName(name))' contains \(problem)")
    }
    var trimmed = Substring(value)
    while let first = trimmed.utf8.first, first == 0x20 || first == 0x09 { trimmed.removeFirst() }
    while let last = trimmed.utf8.last, last == 0x20 || last == 0x09 { trimmed.removeLast() }
    return String(trimmed)
  }
}

extension HTTPRequest.Method {
  /// Validates a method that comes from outside, and converts it to upper case.
  ///
  /// - Throws: ``HTTPEncodingError`` of code `invalid-method`.
  public init(checking method: String) throws(HTTPEncodingError) {
    guard let valid = HTTPRequest.Method(method.uppercased()) else {
      throw HTTPEncodingError(
        .invalidMethod, "'\(shownName(method))' is not a method: use a word such as GET or POST")
    }
    self = valid
  }
}

/// Returns at most 60 characters of a name for a message, with control characters replaced by `?`.
private func shownName(_ name: String) -> String {
  String(name.unicodeScalars.prefix(60).map { $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "?" })
}
