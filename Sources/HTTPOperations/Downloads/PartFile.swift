import Glibc
import OperatingSystem

/// The temporary file of a download, open and locked, and the small file beside it.
///
/// One download at a time can have it, in any process. Used by one task at a time, and closed with the last reference.
final class PartFile: Sendable {
  let target: String
  let path: String
  let statePath: String
  let descriptor: Int32

  /// Opens the temporary file of `target`, and makes the directories on the way.
  ///
  /// - Parameters:
  ///   - target: What it is to become.
  ///   - number: Which of those who write to the same name at one time this is, from 1 on.
  /// - Throws: ``FileError``, which is busy where somebody else has it.
  init(of target: String, number: Int = 1) throws(FileError) {
    self.target = target
    let place = number == 1 ? FilePlace(target) : FilePlace(FilePlace(target).numbered(number))
    path = "\(place.directory)/.\(place.name).penstock-part"
    statePath = path + ".state"
    guard !place.name.isEmpty, place.name != ".", place.name != ".." else {
      throw FileError(target, problem: "this is no name of a file")
    }
    try FilePlace.makeDirectories(place.directory)
    // Once more where the file went between opening and locking: whoever had it is done with it.
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

  /// Unlocks the file before it is closed: a process that is just being started has copies of all descriptors for a moment.
  private static func giveBack(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// How many bytes there are.
  var length: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// What is known of the bytes that are there.
  ///
  /// - Throws: ``FileError`` where the process has no descriptor or memory to read the state file.
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

  /// Whether something is known of the bytes that are there, or nobody can tell.
  var mayHaveState: Bool {
    do throws(FileError) { return try state != nil } catch { return true }
  }

  /// Drops what there is, and writes down what the next bytes are of.
  func restart(with state: DownloadState?) throws(FileError) {
    // First the state: a file without one is never continued.
    forget()
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(path, errno) }
    guard let state else { return }
    do throws(FileError) {
      try write(state)
    } catch {
      // Without a descriptor for it this download cannot be continued, but it can be made.
      guard error.shortage != nil else { throw error }
      forget()
    }
  }

  /// What comes next is written from `offset` on.
  func seek(to offset: Int64) throws(FileError) {
    guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == offset else {
      throw FileError(path, errno)
    }
  }

  /// Drops what is known, so that nobody goes on with the file.
  func forget() { unlink(statePath) }

  /// Drops everything.
  func remove() {
    forget()
    unlink(path)
  }

  private func write(_ state: DownloadState) throws(FileError) {
    let file = open(statePath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileError(statePath, errno) }
    defer { close(file) }
    // A part of it, left by a full disk, is not read as a state.
    do throws(SystemError) {
      try SystemCall.writeAll(Array(state.text.utf8), to: file)
    } catch {
      throw FileError(statePath, error.number)
    }
  }
}

/// Where a file is.
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

  /// The path with `-number` before its extension.
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
  private static let busyProblem = "another download writes it"

  static func busy(_ path: String) -> FileError { FileError(path, problem: busyProblem) }

  var isBusy: Bool { problem == Self.busyProblem }
}
