import Glibc

/// A proxy for `http` and, with `CONNECT`, for `https`: tinyproxy.
final class ProxyServer: Sendable {
  let port: UInt16
  private let folder: TestFolder
  private let process: ServerProcess

  static let isExpected = ServerProcess.isExpected("tinyproxy")

  init(user: String? = nil, password: String = "") throws {
    guard let program = ServerProcess.find("tinyproxy") else {
      throw ServerFailure("tinyproxy is missing: 'make test' unpacks it, or install the package tinyproxy-bin")
    }
    folder = try TestFolder()
    port = try Loopback.freePort()
    try folder.write(
      """
      Port \(port)
      Listen 127.0.0.1
      Timeout 600
      LogLevel Critical
      LogFile "\(folder.path)/log"
      ViaProxyName "penstock-test"
      MaxClients 100
      \(user.map { "BasicAuth \($0) \(password)" } ?? "")
      """, to: "tinyproxy.conf")
    process = try ServerProcess([program, "-d", "-c", "\(folder.path)/tinyproxy.conf"])
    try Loopback.wait(for: port)
  }
}

/// A SOCKS proxy: microsocks.
final class SocksServer: Sendable {
  let port: UInt16
  private let process: ServerProcess

  static let isExpected = ServerProcess.isExpected("microsocks")

  init() throws {
    guard let program = ServerProcess.find("microsocks") else {
      throw ServerFailure("microsocks is missing: 'make test' unpacks it, or install the package microsocks")
    }
    port = try Loopback.freePort()
    process = try ServerProcess([program, "-i", "127.0.0.1", "-p", "\(port)"])
    try Loopback.wait(for: port)
  }
}
