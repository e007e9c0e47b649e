import HTTPTypes

/// What happens when a server answers 301, 302, 303, 307 or 308 with a `Location`.
///
/// A redirect that is followed is asked with `GET` after a 303 (`HEAD` stays `HEAD`), and after a 301 or 302 to a
/// `POST`; the body and the fields that describe it are left out then. Everything else is asked again as it was.
///
/// Where the scheme, the host or the port is another one, credentials stay behind: `Authorization`, `Cookie`,
/// `Proxy-Authorization`, a user and password in the URL, a `Host` that was given, the client's certificate, and the
/// fields named here. A user and password in a `Location` are never used.
public enum HTTPRedirects: Sendable, Hashable {
  /// It is a response like any other.
  case deliver
  /// It is followed.
  ///
  /// - Parameters:
  ///   - limit: The most of them in a row; one more fails with `too-many-redirects`. By default 10.
  ///   - secretFields: Further fields that are not sent to another host, by name.
  ///   - allowsInsecure: Whether a redirect from `https` to `http` is followed. By default it fails with
  ///     `redirect-refused`.
  case follow(limit: Int = 10, secretFields: Set<HTTPField.Name> = [], allowsInsecure: Bool = false)
}
