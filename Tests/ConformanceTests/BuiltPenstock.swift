import Foundation

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The `penstock` that was built together with these tests, in the directory of their executable.
enum BuiltPenstock {
  /// The build directory.
  static let directory: String = {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tests = link ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path
  }()

  /// The executable.
  static var path: FilePath { FilePath("\(directory)/penstock") }
}
