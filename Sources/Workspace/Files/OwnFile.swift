import Glibc
import OperatingSystem

/// A file that a workspace keeps beside its database.
///
/// Another user may have created the directory, with a link or a FIFO under one of our names: links are not followed, opening does not block, and anything
/// but a regular file is refused.
package enum OwnFile {
  /// Opens `name` in a directory, creating it for its owner alone if requested and missing.
  ///
  /// - Parameters:
  ///   - name: The name of the file, without a slash.
  ///   - directory: The directory of the workspace.
  ///   - access: `O_RDWR`, `O_RDONLY` or `O_WRONLY`, with `O_CREAT` to create it.
  /// - Returns: The descriptor, which the caller must close.
  /// - Throws: ``WorkspaceError/notAWorkspace(path:reason:)`` for anything but a regular file, ``WorkspaceError/readOnly(path:)``,
  ///   ``WorkspaceError/full(path:)`` or ``WorkspaceError/io(path:code:message:)``.
  package static func open(_ name: String, in directory: String, _ access: Int32) throws(WorkspaceError) -> Int32 {
    let path = "\(directory)/\(name)"
    let descriptor = Glibc.open(path, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      switch code {
      // A link; a socket, or a FIFO without a reader; a directory.
      case ELOOP, ENXIO, ENODEV, EISDIR: throw unsuitable(name, directory)
      case EACCES, EROFS, EPERM: throw .readOnly(path: path)
      case ENOSPC, EDQUOT: throw .full(path: path)
      default: throw .io(path: path, code: Int(code), message: SystemError.textWithAdvice(of: code))
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw unsuitable(name, directory)
    }
    return descriptor
  }

  private static func unsuitable(_ name: String, _ directory: String) -> WorkspaceError {
    .notAWorkspace(path: directory, reason: "\(name) is not a regular file")
  }
}
