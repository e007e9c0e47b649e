import Glibc
import OperatingSystem
public import Operations

/// Saves the body as a file, and resumes an interrupted earlier attempt, even one of a process that was killed.
///
/// The content is written to `.NAME.penstock-part` beside the target, and becomes the target atomically once it is complete, verified and on disk: the
/// target never has partial content. What a later attempt needs to know is in `.NAME.penstock-part.state`. It requests the rest with `Range`, and with
/// `If-Range` the whole content if it has changed since. Without a strong `ETag` or a `Last-Modified`, each attempt starts from the beginning.
///
/// The content is saved as the server stores it: compression is not requested.
public struct HTTPDownload: HTTPResultProcessor {
  /// What to do if the target exists.
  public enum Collision: String, Sendable, Hashable, CaseIterable {
    /// Fail with `target-exists`, before anything is sent if possible.
    case fail
    /// Replace the target atomically.
    case replace
    /// Give the file another name: `NAME-2.EXT`, `NAME-3.EXT`, …
    case number
  }

  /// The path of the target. Missing directories are created.
  public var path: String
  /// What to do if the target exists. Defaults to `fail`.
  public var collision: Collision
  /// The expected length of the content in bytes; nil for any.
  public var length: Int64?
  /// The expected hash of the content; nil to accept any content.
  public var checksum: HTTPChecksum?
  /// Whether an interrupted download is kept and resumed. Defaults to true.
  public var resumes: Bool

  /// Creates a download.
  public init(
    to path: String, collision: Collision = .fail, length: Int64? = nil, checksum: HTTPChecksum? = nil,
    resumes: Bool = true
  ) {
    self.path = path
    self.collision = collision
    self.length = length
    self.checksum = checksum
    self.resumes = resumes
  }

  /// Opens the temporary file, and changes the request to ask for what is missing.
  public func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<HTTPDownloadedFile> {
    request.options.decompresses = false
    // Renaming the content to a device or FIFO would delete it for everyone, as root even /dev/null.
    if let kind = InputFile.kind(of: path), kind != .regular {
      throw HTTPDownloadError(
        .unwritableTarget, "\(path) is \(kind.name), not a regular file: choose another name for the download")
    }
    if collision == .fail, FilePlace.exists(path) {
      throw HTTPDownloadError(
        .targetExists, "\(path) exists: remove it, or let the download replace it or choose another name")
    }
    do throws(FileError) {
      let part = try openPart()
      let sink = DownloadSink(download: self, part: part, request: request)
      if resumes { try sink.resume(&request) } else { part.forget() }
      return sink
    } catch {
      var failure = HTTPDownloadError(
        error.isBusy ? .targetBusy : .unwritableTarget, "\(path) cannot be written: \(error)",
        isWorthAnotherTry: error.shortage != nil)
      failure.shortage = error.shortage
      throw failure
    }
  }

  /// With `number`, several downloads to the same target may run at the same time.
  private func openPart() throws(FileError) -> PartFile {
    var number = 1
    while true {
      do throws(FileError) {
        return try PartFile(of: path, number: number)
      } catch {
        guard error.isBusy, collision == .number, number < 1000 else { throw error }
        number += 1
      }
    }
  }
}

extension HTTPResultProcessor where Self == HTTPDownload {
  /// Saves the body as a file. See ``HTTPDownload``.
  public static func file(
    _ path: String, collision: HTTPDownload.Collision = .fail, length: Int64? = nil, checksum: HTTPChecksum? = nil,
    resumes: Bool = true
  ) -> Self {
    HTTPDownload(to: path, collision: collision, length: length, checksum: checksum, resumes: resumes)
  }
}

/// A downloaded file.
public struct HTTPDownloadedFile: Sendable, Hashable {
  /// The path of the file.
  public var path: String
  /// The length in bytes.
  public var length: Int64
  /// The number of bytes already present before the last attempt.
  public var resumedFrom: Int64
  /// The head of the last response.
  public var head: HTTPResponseHead
}
