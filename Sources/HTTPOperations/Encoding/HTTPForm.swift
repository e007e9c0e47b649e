import Glibc

/// A form of names and values, and files, encoded as by a browser.
public struct HTTPForm: Sendable, Hashable {
  /// A part of a form.
  public struct Part: Sendable, Hashable {
    /// The content of a part.
    public enum Content: Sendable, Hashable {
      /// Text, sent as UTF-8.
      case text(String)
      /// Bytes, sent as the content of a file with this name and type.
      case bytes([UInt8], name: String, type: MediaType)
      /// The content of the file at `path`, read when the form is encoded. The file keeps its name, unless `name` is given.
      case file(path: String, name: String? = nil, type: MediaType)
    }

    /// The name of the part.
    public var name: String
    /// The content.
    public var content: Content

    /// Creates a part.
    public init(_ name: String, _ content: Content) {
      self.name = name
      self.content = content
    }

    /// Creates a part with text.
    public init(_ name: String, _ text: String) {
      self.init(name, .text(text))
    }
  }

  /// How the parts are encoded.
  public enum Encoding: String, Sendable, Hashable, CaseIterable {
    /// `application/x-www-form-urlencoded` if no part is a file; otherwise `multipart/form-data`.
    case automatic
    /// `application/x-www-form-urlencoded`.
    case urlencoded
    /// `multipart/form-data`.
    case multipart
  }

  /// The parts, in order.
  public var parts: [Part]
  /// How the form is encoded. Defaults to `automatic`.
  public var encoding: Encoding
  /// The maximum size of the encoded form in bytes, since it is encoded in memory. Defaults to 64 MiB; larger files are sent as the body of a separate
  /// request.
  public var limit: Int

  /// Creates a form.
  public init(_ parts: [Part], encoding: Encoding = .automatic, limit: Int = 64 * 1024 * 1024) {
    self.parts = parts
    self.encoding = encoding
    self.limit = limit
  }

  /// Encodes the form.
  ///
  /// - Parameter random: The source of the boundary of a multipart form. A boundary that occurs in a part is drawn again.
  /// - Returns: The bytes, and the value of `Content-Type`.
  /// - Throws: ``HTTPEncodingError``.
  public func encoded(
    using random: inout some RandomNumberGenerator
  ) throws(HTTPEncodingError) -> (bytes: [UInt8], contentType: String) {
    let hasFiles = parts.contains { if case .text = $0.content { false } else { true } }
    if encoding == .multipart || encoding == .automatic && hasFiles { return try multipart(using: &random) }
    var items: [String] = []
    for part in parts {
      guard case .text(let text) = part.content else {
        throw HTTPEncodingError(
          .invalidForm, "the part '\(part.name)' is a file, which a urlencoded form cannot contain: use multipart")
      }
      items.append(
        PercentEncoding.encode(part.name.utf8, spaceAsPlus: true) + "="
          + PercentEncoding.encode(text.utf8, spaceAsPlus: true))
    }
    let bytes = Array(items.joined(separator: "&").utf8)
    try check(bytes.count)
    return (bytes, "application/x-www-form-urlencoded")
  }

  private func multipart(
    using random: inout some RandomNumberGenerator
  ) throws(HTTPEncodingError) -> (bytes: [UInt8], contentType: String) {
    var pieces: [(head: String, content: [UInt8])] = []
    var total = 0
    for part in parts {
      let piece = try piece(part, remaining: limit - total)
      total += piece.head.utf8.count + piece.content.count
      try check(total)
      pieces.append(piece)
    }
    var boundary: String
    repeat {
      boundary = Self.boundary(using: &random)
    } while pieces.contains { $0.head.contains(boundary) || Self.contains($0.content, Array(boundary.utf8)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total + (boundary.utf8.count + 8) * (pieces.count + 1))
    for piece in pieces {
      bytes += "--\(boundary)\r\n\(piece.head)\r\n".utf8
      bytes += piece.content
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    return (bytes, "multipart/form-data; boundary=\(boundary)")
  }

  private func piece(_ part: Part, remaining: Int) throws(HTTPEncodingError) -> (head: String, content: [UInt8]) {
    let head = "Content-Disposition: form-data; name=\"\(Self.escape(part.name))\""
    switch part.content {
    case .text(let text):
      return (head + "\r\n", Array(text.utf8))
    case .bytes(let bytes, let name, let type):
      return ("\(head); filename=\"\(Self.escape(name))\"\r\nContent-Type: \(type)\r\n", bytes)
    case .file(let path, let name, let type):
      let name = name ?? String(path.split(separator: "/").last ?? "file")
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try FileContent.read(path, limit: remaining)
      } catch {
        var failure = HTTPEncodingError(.unreadableFile, "the file of the part '\(part.name)' cannot be sent: \(error)")
        failure.shortage = error.shortage
        throw failure
      }
      return ("\(head); filename=\"\(Self.escape(name))\"\r\nContent-Type: \(type)\r\n", bytes)
    }
  }

  private func check(_ count: Int) throws(HTTPEncodingError) {
    guard count <= limit else {
      throw HTTPEncodingError(
        .invalidForm, "the form has more than \(limit) bytes: send a large file as the body of the request")
    }
  }

  /// Escapes a name as browsers do (WHATWG, "multipart/form-data encoding algorithm"), so that it ends neither its quotes nor its line.
  private static func escape(_ name: String) -> String {
    var escaped = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case "\0": escaped += "%00"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func boundary(using random: inout some RandomNumberGenerator) -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    return "penstock-" + String((0..<24).map { _ in digits[Int.random(in: 0..<digits.count, using: &random)] })
  }

  private static func contains(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    return bytes.withUnsafeBytes { all in
      var rest = all[...]
      while rest.count >= wanted.count, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
        let hit = memchr(start, Int32(first), rest.count - wanted.count + 1)
      {
        if memcmp(hit, wanted, wanted.count) == 0 { return true }
        rest = rest.dropFirst(UnsafeRawPointer(hit) - start + 1)
      }
      return false
    }
  }
}
