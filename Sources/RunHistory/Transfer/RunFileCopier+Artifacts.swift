import Glibc
import OperatingSystem
import Values

extension RunFileCopier {
  /// Copies artifacts that exist only in the source workspace. Returns the number of files.
  func copy(_ artifacts: [KeptArtifact]) throws(RunFileError) -> Int {
    var copied = 0
    for artifact in artifacts {
      guard let root = try? artifact.open(in: source), let steps = artifact.steps else { continue }
      do {
        let made = try Folder(target).making(steps)
        for name in root.names { try copy(name, from: root, to: made, &copied) }
      } catch let error as SystemError {
        throw RunFileError(path: "\(target)/\(artifact.folder)", number: error.number)
      } catch {
        throw RunFileError(path: "\(target)/\(artifact.folder)", number: EIO)
      }
    }
    return copied
  }

  private func copy(_ name: String, from folder: Folder, to made: Folder, _ copied: inout Int) throws {
    switch folder.entry(name) {
    case .folder:
      let (inner, copy) = (try folder.folder(name), try made.making(name))
      for name in inner.names { try self.copy(name, from: inner, to: copy, &copied) }
    case .file where made.entry(name) == nil:
      _ = try folder.copy(name, to: made, as: name) { _ in }
      copied += 1
    default: break
    }
  }
}

extension OperationRecord {
  /// Removes artifacts that do not exist from the record. Returns their number.
  mutating func keepArtifacts(in workspace: String) -> Int {
    let known = artifacts
    let there = known.filter { $0.isThere(in: workspace) }
    guard there.count < known.count, var parsed = (detail.flatMap { try? JSONValue.parse($0) })?.objectValue else {
      return 0
    }
    parsed[DetailKey.artifacts] = there.isEmpty ? nil : .array(there.map(\.jsonValue))
    detail = parsed.isEmpty ? nil : JSONValue.object(parsed).text
    return known.count - there.count
  }
}
