import Foundation
import Glibc
import HTTPOperations
import Testing

@Suite("Files of TLS settings") struct ClientTLSFileTests {
  private enum Setting: CaseIterable {
    case authorities, certificate, key
  }

  @Test("a FIFO or a directory is rejected before the transfer", arguments: Setting.allCases)
  private func unsuitable(setting: Setting) async throws {
    let folder = NSTemporaryDirectory() + "penstock-tls-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(FileManager.default.createFile(atPath: "\(folder)/own.pem", contents: Data()))
    #expect(mkfifo("\(folder)/pipe.pem", 0o600) == 0)
    for (path, kind) in [("\(folder)/pipe.pem", "a FIFO or pipe"), (folder, "a directory")] {
      // Nothing listens there; a request that connected would fail with `cannot-connect`.
      var request = HTTPTransferRequest(url: "https://127.0.0.1:1/")
      switch setting {
      case .authorities: request.options.tls.authorities = path
      case .certificate: request.options.tls.certificate = .init(chain: path)
      case .key: request.options.tls.certificate = .init(chain: "\(folder)/own.pem", key: path)
      }
      let failure = await HTTPClient().failure(request)
      #expect(failure?.code == .tlsSettings)
      #expect(failure?.message.contains("'\(path)'") == true && failure?.message.contains(kind) == true)
    }
  }
}
