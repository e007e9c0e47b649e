import HTTPTypes

/// How to handle a server that answers 301, 302, 303, 307 or 308 with a `Location`.
///
/// The method of the next request is `GET` after a 303 (`HEAD` remains `HEAD`), and after a 301 or 302 to a `POST`; the body and the fields that describe
/// it are then omitted. Otherwise the request is repeated unchanged.
///
/// If the scheme, host or port differs, credentials are removed: `Authorization`, `Cookie`, `Proxy-Authorization`, a user and password in the URL, an
/// explicit `Host`, the client's certificate, and the fields named here. A user and password in a `Location` are never used.
public enum HTTPRedirects: Sendable, Hashable {
  /// Deliver it like any other response.
  case deliver
  /// Follow it.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of redirects in a row; one more fails with `too-many-redirects`. Defaults to 10.
  ///   - secretFields: The names of further fields that are not sent to another host.
  ///   - allowsInsecure: Whether a redirect from `https` to `http` is followed. By default it fails with `redirect-refused`.
  case follow(limit: Int = 10, secretFields: Set<HTTPField.Name> = [], allowsInsecure: Bool = false)
}
