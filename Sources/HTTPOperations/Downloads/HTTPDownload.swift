import Glibc
import OperatingSystem
public import Operations

/// Saves the body as a file, and goes on where an earlier attempt was interrupted, also one of a process that was
/// killed.
///
/// The content is written to `.NAME.penstock-part` beside the target, and becomes the target in one step when it is
/// whole, verified and on the disk: nobody ever sees a part of it. What a later attempt needs to know is in
/// `.NAME.penstock-part.state`. It asks for the rest with `Range`, and with `If-Range` for the whole where the content
/// has changed since. Without a strong `ETag` or a `Last-Modified` there is nothing to go by, and each attempt starts
/// anew.
///
/// The content is saved as the server has it: compression is not asked for.
public struct HTTPDownload: HTTPResultProcessor {
  /// What happens where the target exists.
  public enum Collision: String, Sendable, Hashable, CaseIterable {
    /// The operation fails with `target-exists`, before anything is sent if possible.
    case fail
    /// The target is replaced in one step.
    case replace
    /// The file gets another name: `NAME-2.EXT`, `NAME-3.EXT`, …
    case number
  }

  /// The path of the target. Missing directories on the way are made.
  public var path: String
  /// What happens where the target exists. `fail` by default.
  public var collision: Collision
  /// The length that the content must have, in bytes; nil for any.
  public var length: Int64?
  /// What the content must hash to; nil for anything.
  public var checksum: HTTPChecksum?
  /// Whether an interrupted download is kept and continued. True by default.
  public var resumes: Bool

  /// A download.
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

  /// Opens the temporary file, and asks for what is missing in it.
  public func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<HTTPDownloadedFile> {
    request.options.decompresses = false
    // Renaming the content to it would remove a device or FIFO for everybody, as root even /dev/null.
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

  /// Where each gets a name of its own, several may write at one time.
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

/// A file that was downloaded.
public struct HTTPDownloadedFile: Sendable, Hashable {
  /// Where it is.
  public var path: String
  /// Its length in bytes.
  public var length: Int64
  /// How many of them were there before the last attempt.
  public var resumedFrom: Int64
  /// The head of the last response.
  public var head: HTTPResponseHead
}
