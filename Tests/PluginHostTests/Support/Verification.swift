import Foundation

@testable import PluginHost

/// Returns the verifier's result for a file: its code, or nil if it accepts the file; and the message.
func verification(
  of path: String, pins: [PluginPin] = [], user: uid_t = geteuid()
) -> (code: PluginError.Code?, message: String) {
  do throws(PluginError) {
    let file = try PluginFile(at: path, origin: .commandLine)
    _ = try PluginVerifier(user: user).verify(file, pins: pins)
    return (nil, "")
  } catch {
    return (error.code, error.message)
  }
}

/// Returns the bytes of a file.
func bytes(of path: String) throws -> [UInt8] {
  guard let data = FileManager.default.contents(atPath: path) else {
    throw TestPluginError(message: "cannot read \(path)")
  }
  return Array(data)
}
