import Glibc
import OperatingSystem

/// The temporary file of a download, open and locked, and its state file.
///
/// Only one download at a time can hold it, across all processes. Used by one task at a time, and closed when the last reference is released.
final class PartFile: Sendable {
  let target: String
  let path: String
  let statePath: String
  let descriptor: Int32

  /// Opens the temporary file of `target`, and creates missing directories.
  ///
  /// - Parameters:
  ///   - target: The path that the file is to get.
  ///   - number: The number of this download among those that write to the same target at the same time, from 1.
  /// - Throws: ``FileError``, which is busy if another download holds the file.
  init(of target: String, number: Int = 1) throws(FileError) {
    self.target = target
    let place = number == 1 ? FilePlace(target) : FilePlace(FilePlace(target).numbered(number))
    path = "\(place.directory)/.\(place.name).penstock-part"
    statePath = path + ".state"
    guard !place.name.isEmpty, place.name != ".", place.name != ".." else {
      throw FileError(target, problem: "it is not a file name")
    }
    try FilePlace.makeDirectories(place.directory)
    // Retry if the file disappeared between opening and locking: its holder has finished with it.
    for _ in 0..<100 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0o666)
      guard descriptor >= 0 else { throw FileError(path, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        close(descriptor)
        throw number == EWOULDBLOCK ? .busy(path) : FileError(path, number)
      }
      var (opened, named) = (stat(), stat())
      if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino,
        opened.st_dev == named.st_dev
      {
        self.descriptor = descriptor
        return
      }
      Self.giveBack(descriptor)
    }
    throw .busy(path)
  }

  deinit { Self.giveBack(descriptor) }

  /// Unlocks the file before closing it: a process being started briefly has copies of all descriptors.
  private static func giveBack(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The number of bytes present.
  var length: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// The state of the bytes present.
  ///
  /// - Throws: ``FileError`` if the process has no descriptor or memory to read the state file.
  var state: DownloadState? {
    get throws(FileError) {
      do throws(FileError) {
        return DownloadState(String(decoding: try FileContent.read(statePath, limit: 64 * 1024), as: UTF8.self))
      } catch {
        if error.shortage != nil { throw error }
        return nil
      }
    }
  }

  /// Whether there is a state, or it could not be read.
  var mayHaveState: Bool {
    do throws(FileError) { return try state != nil } catch { return true }
  }

  /// Discards the content, and stores the state of the new content.
  func restart(with state: DownloadState?) throws(FileError) {
    // First the state: a file without one is never resumed.
    forget()
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(path, errno) }
    guard let state else { return }
    do throws(FileError) {
      try write(state)
    } catch {
      // Without a descriptor for the state, this download can run but cannot be resumed.
      guard error.shortage != nil else { throw error }
      forget()
    }
  }

  /// Truncates the file at `offset` and continues writing there.
  func seek(to offset: Int64) throws(FileError) {
    guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == offset else {
      throw FileError(path, errno)
    }
  }

  /// Deletes the state, so that the file is not resumed.
  func forget() { unlink(statePath) }

  /// Deletes the file and its state.
  func remove() {
    forget()
    unlink(path)
  }

  private func write(_ state: DownloadState) throws(FileError) {
    let file = open(statePath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileError(statePath, errno) }
    defer { close(file) }
    // If the disk is full, the incomplete state is not accepted when read.
    do throws(SystemError) {
      try SystemCall.writeAll(Array(state.text.utf8), to: file)
    } catch {
      throw FileError(statePath, error.number)
    }
  }
}

/// The directory and the name of a file.
struct FilePlace {
  let directory: String
  let name: String

  init(_ path: String) {
    guard let slash = path.lastIndex(of: "/") else {
      (directory, name) = (".", path)
      return
    }
    directory = slash == path.startIndex ? "" : String(path[..<slash])
    name = String(path[path.index(after: slash)...])
  }

  /// Returns the path with `-number` inserted before its extension.
  func numbered(_ number: Int) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(directory)/\(name)-\(number)" }
    return "\(directory)/\(name[..<dot])-\(number)\(name[dot...])"
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func makeDirectories(_ path: String) throws(FileError) {
    guard !path.isEmpty, !exists(path) else { return }
    try makeDirectories(FilePlace(path).directory == "." ? "" : FilePlace(path).directory)
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw FileError(path, errno) }
  }
}

extension FileError {
  private static let busyProblem = "another download is writing to it"

  static func busy(_ path: String) -> FileError { FileError(path, problem: busyProblem) }

  var isBusy: Bool { problem == Self.busyProblem }
}
