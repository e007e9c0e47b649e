/// Whom to trust, and who we are.
public struct HTTPTLSSettings: Sendable, Hashable {
  /// Whether the server must prove with a certificate that it is the host of the URL. By default true; false is for
  /// tests.
  public var verifies = true
  /// The path of a file of certificates in PEM to trust in place of the system's, or nil.
  public var authorities: String?
  /// The certificate that shows who we are, or nil.
  public var certificate: Certificate?
  /// The oldest version that is spoken. By default 1.2.
  public var minimumVersion = Version.tls1_2

  /// Verification by the system's certificates.
  public init() {}

  /// A client's certificate.
  public struct Certificate: Sendable, Hashable {
    /// The path of the certificate and its chain, in PEM.
    public var chain: String
    /// The path of its private key, in PEM. Nil if that is in `chain` too.
    public var key: String?
    /// What opens the private key, or nil.
    public var password: String?

    /// A certificate.
    public init(chain: String, key: String? = nil, password: String? = nil) {
      self.chain = chain
      self.key = key
      self.password = password
    }
  }

  /// A version of TLS.
  public enum Version: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.2.
    case tls1_2 = "1.2"
    /// TLS 1.3.
    case tls1_3 = "1.3"
  }
}
