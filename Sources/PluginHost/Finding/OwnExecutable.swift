import CProcess
import Glibc

/// The program that this process runs, for starting it again.
package enum OwnExecutable {
  /// A path that leads to the program for as long as this process lives, even if its file is replaced; without `/proc`, the absolute path of the file.
  package static let path: String = {
    let link = "/proc/self/exe"
    guard access(link, X_OK) != 0, let name = penstock_executable_name(), let resolved = realpath(name, nil) else {
      return link
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }()
}
