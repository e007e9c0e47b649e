import Glibc
import OperatingSystem

/// Copies kept artifacts out of the workspace. Existing files are kept, and no symbolic link below the target is followed.
package struct ArtifactExport {
  /// An artifact, and the destination of its files.
  package struct Part {
    package let artifact: KeptArtifact
    /// The path components from the target to the directory for the artifact's paths.
    package let place: [String]

    package init(_ artifact: KeptArtifact, to place: [String]) {
      self.artifact = artifact
      self.place = place
    }
  }

  /// Why a file was not copied.
  package struct Failure: Error, CustomStringConvertible {
    package let path: String
    package let number: Int32
    package var description: String { "cannot copy to '\(path)': \(SystemError.text(of: number))" }
  }

  private let workspace: String
  private let target: String

  package init(from workspace: String, to target: String) {
    self.workspace = workspace
    self.target = target
  }

  /// Copies the parts.
  ///
  /// - Parameters:
  ///   - parts: What to copy, and where to.
  ///   - replaces: Whether existing files are replaced.
  /// - Returns: The copied paths, relative to the target; a directory counts as one path.
  /// - Throws: ``Failure`` for the first file that cannot be copied.
  package func copy(_ parts: [Part], replacing replaces: Bool) throws(Failure) -> [String] {
    if mkdir(target, 0o777) != 0, errno != EEXIST { throw Failure(path: target, number: errno) }
    var copied: [String] = []
    for part in parts {
      for path in part.artifact.paths {
        let shown = (part.place + [path]).joined(separator: "/")
        do {
          guard let steps = KeptArtifact.steps(of: path), let name = steps.last else { continue }
          let source = try part.artifact.open(in: workspace).folder(steps.dropLast())
          let made = try Folder(target).making(part.place + steps.dropLast(), mode: 0o777)
          try copy(name, from: source, to: made, replaces)
        } catch let error as SystemError {
          throw Failure(path: PathText.join(target, shown), number: error.number)
        } catch {
          throw Failure(path: PathText.join(target, shown), number: EIO)
        }
        copied.append(shown)
      }
    }
    return copied
  }

  private func copy(_ name: String, from source: Folder, to made: Folder, _ replaces: Bool) throws {
    switch source.entry(name) {
    case .folder:
      let (inner, copy) = (try source.folder(name), try made.making(name, mode: 0o777))
      for name in inner.names.sorted() { try self.copy(name, from: inner, to: copy, replaces) }
    case .file:
      if replaces, case .file? = made.entry(name) { unlinkat(made.descriptor, name, 0) }
      _ = try source.copy(name, to: made, as: name, mode: 0o666) { _ in }
    default: throw SystemError("openat", ENOENT)
    }
  }
}
