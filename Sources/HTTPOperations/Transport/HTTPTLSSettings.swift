/// The trusted authorities and the client's own certificate.
public struct HTTPTLSSettings: Sendable, Hashable {
  /// Whether the server must prove with a certificate that it is the host of the URL. Defaults to true; false is for tests.
  public var verifies = true
  /// The path of a PEM file of certificates to trust instead of the system's; nil for the system's.
  public var authorities: String?
  /// The client certificate, or nil.
  public var certificate: Certificate?
  /// The minimum TLS version. Defaults to 1.2.
  public var minimumVersion = Version.tls1_2

  /// Creates settings that verify with the system's certificates.
  public init() {}

  /// A client certificate.
  public struct Certificate: Sendable, Hashable {
    /// The path of the certificate and its chain, in PEM.
    public var chain: String
    /// The path of its private key, in PEM. Nil if the key is in `chain`.
    public var key: String?
    /// The password of the private key, or nil.
    public var password: String?

    /// Creates a certificate.
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
