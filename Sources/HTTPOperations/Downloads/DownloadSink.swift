import Glibc
import HTTPTypes
import Synchronization

/// Receives the response of one attempt of a download.
final class DownloadSink: HTTPResultSink {
  private struct Progress {
    /// The offset from which the content was requested.
    var offset: Int64 = 0
    /// The state of the partial file; nil if the download must start again.
    var state: DownloadState?
    /// The length of the whole content, according to the response.
    var total: Int64?
  }

  private let download: HTTPDownload
  private let part: PartFile
  private let request: HTTPTransferRequest
  private let progress = Mutex(Progress())

  init(download: HTTPDownload, part: PartFile, request: HTTPTransferRequest) {
    self.download = download
    self.part = part
    self.request = request
  }

  /// Requests the rest of the content if an earlier attempt left a part.
  ///
  /// - Throws: ``FileError`` if the process has no descriptor to read the state file.
  func resume(_ request: inout HTTPTransferRequest) throws(FileError) {
    guard let state = try part.state, state.source == DownloadState.source(of: self.request),
      state.boot == DownloadState.currentBoot || download.checksum != nil
    else { return part.forget() }
    // A range must not be empty: if the content is complete, its last byte is requested again.
    let offset = min(part.length, (state.total ?? .max) - 1)
    guard offset > 0 else { return }
    progress.withLock {
      $0.offset = offset
      $0.state = state
    }
    request.fields[.range] = "bytes=\(offset)-"
    request.fields[.ifRange] = state.validator
  }

  func admit(_ head: HTTPResponseHead) async throws {
    let (offset, state) = progress.withLock { ($0.offset, $0.state) }
    guard offset > 0, let state else {
      guard head.status != .partialContent else {
        throw HTTPDownloadError(
          .unexpectedRange,
          "\(HTTPURL.shown(head.url)) sent only a part of the content, although all of it was requested")
      }
      return
    }
    switch head.status.code {
    case 206:
      let range = head.fields[.contentRange].flatMap { ContentRange($0) }
      // A server that ignores If-Range, or counts in another way, must not combine two contents in one file.
      let isSame = state.isValidator(of: head.fields)
      let isSameLength = state.total == nil || range?.total == nil || range?.total == state.total
      guard let range, range.first == offset, isSame, isSameLength else {
        throw restart("the server sent a different part")
      }
      progress.withLock { $0.total = range.total ?? state.total }
    case 412, 416: throw restart("the server no longer has the rest: \(head.status.shown)")
    default: break
    }
  }

  func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination {
    do throws(FileError) {
      if head.status == .partialContent {
        try part.seek(to: progress.withLock { $0.offset })
      } else {
        let state = download.resumes ? DownloadState(of: request, head: head) : nil
        progress.withLock {
          $0 = Progress(offset: 0, state: state, total: head.fields[.contentLength].flatMap { Int64($0) })
        }
        try part.restart(with: state)
      }
    } catch {
      throw HTTPDownloadError(.unwritableTarget, "\(download.path) cannot be written: \(error)")
    }
    return .file(descriptor: part.descriptor)
  }

  func finish(_ result: HTTPTransferResult) async throws -> HTTPDownloadedFile {
    let (offset, total) = progress.withLock { ($0.offset, $0.total) }
    let length = part.length
    if let expected = download.length ?? total, expected != length {
      throw wrong(
        .lengthMismatch,
        "the content of \(HTTPURL.shown(result.head.url)) has \(length) bytes; expected \(expected)", offset)
    }
    if let checksum = download.checksum {
      let digest = try await digest(checksum.algorithm)
      guard digest == checksum.digest else {
        throw wrong(
          .checksumMismatch,
          "the content of \(HTTPURL.shown(result.head.url)) has \(checksum.algorithm.rawValue) \(digest); expected "
            + checksum.digest, offset)
      }
    }
    let path = try await publish()
    return HTTPDownloadedFile(path: path, length: length, resumedFrom: offset, head: result.head)
  }

  func abandon() async {
    let isKept = progress.withLock { $0.state != nil } && part.length > 0 && part.mayHaveState
    if !isKept { part.remove() }
  }

  private func restart(_ reason: String) -> HTTPRestart {
    drop()
    return HTTPRestart(reason: reason)
  }

  /// Discards content that is not as expected, so that no attempt continues it. If it was combined from several transfers, another attempt may succeed.
  private func wrong(_ code: HTTPDownloadError.Code, _ message: String, _ offset: Int64) -> HTTPDownloadError {
    drop()
    return HTTPDownloadError(code, message, isWorthAnotherTry: offset > 0)
  }

  private func drop() {
    part.forget()
    progress.withLock { $0 = Progress() }
  }

  private func digest(_ algorithm: HTTPChecksum.Algorithm) async throws -> String {
    let result = await BlockingThread.run { [part] in
      Result { () throws(FileError) in
        try HTTPChecksum.digest(algorithm, of: part.descriptor, path: part.path)
      }
    }
    do {
      return try result.get()
    } catch {
      throw HTTPDownloadError(.unwritableTarget, "cannot read back the downloaded content: \(error)")
    }
  }

  /// Makes the content durable, then publishes it as the target.
  private func publish() async throws -> String {
    let collision = download.collision
    let result = await BlockingThread.run { [part] in
      Result { () throws(FileError) in try part.publish(collision) }
    }
    do {
      return try result.get()
    } catch {
      if error.problem == FileError.exists {
        throw HTTPDownloadError(
          .targetExists,
          "\(download.path) was created by another process in the meantime: remove it, or let the download replace it")
      }
      throw HTTPDownloadError(.unwritableTarget, "\(download.path) cannot be written: \(error)")
    }
  }
}

extension PartFile {
  /// Syncs the content and renames it to its target. Blocks.
  ///
  /// - Returns: The resulting path.
  func publish(_ collision: HTTPDownload.Collision) throws(FileError) -> String {
    guard fsync(descriptor) == 0 else { throw FileError(path, errno) }
    let place = FilePlace(target)
    var name = target
    switch collision {
    case .replace:
      guard rename(path, target) == 0 else { throw FileError(target, errno) }
    case .fail:
      guard try renameWithoutReplacing(to: target) else { throw FileError(target, problem: FileError.exists) }
    case .number:
      var number = 1
      while try !renameWithoutReplacing(to: name) {
        number += 1
        guard number <= 10_000 else { throw FileError(target, problem: "10000 files of this name exist") }
        name = place.numbered(number)
      }
    }
    forget()
    // The name becomes durable when the directory is synced.
    let directory = open(place.directory.isEmpty ? "/" : place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
    return name
  }

  /// - Returns: Whether the name was free.
  private func renameWithoutReplacing(to name: String) throws(FileError) -> Bool {
    // A hard link fails if the name is taken, on every file system that supports links.
    if link(path, name) == 0 {
      unlink(path)
      return true
    }
    if errno == EEXIST { return false }
    // File systems without links (vfat) need no protection against races with other processes.
    if FilePlace.exists(name) { return false }
    guard rename(path, name) == 0 else { throw FileError(name, errno) }
    return true
  }
}

extension FileError {
  static let exists = "it exists"
}
