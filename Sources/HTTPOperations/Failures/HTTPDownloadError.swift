/// Why a download failed to produce a file.
public struct HTTPDownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. The raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The target exists, and must not be replaced.
    case targetExists = "target-exists"
    /// Another download to the same target is running.
    case targetBusy = "target-busy"
    /// A file or directory cannot be created, written or renamed.
    case unwritableTarget = "unwritable-target"
    /// The content does not have the expected length.
    case lengthMismatch = "length-mismatch"
    /// The content does not have the expected checksum.
    case checksumMismatch = "checksum-mismatch"
    /// The server sent a part of the content that was not requested.
    case unexpectedRange = "unexpected-range"
  }

  /// The kind of failure.
  public var code: Code
  /// What is wrong and what to do, for people to read.
  public var message: String
  /// Whether another attempt may produce the right content, because this content was combined from several transfers.
  public var isWorthAnotherTry: Bool
  /// The errno if the process had no descriptor or memory to open the file, before anything was sent; otherwise nil.
  package var shortage: Int32?

  /// Creates an error; by default, one that would occur again.
  public init(_ code: Code, _ message: String, isWorthAnotherTry: Bool = false) {
    self.code = code
    self.message = message
    self.isWorthAnotherTry = isWorthAnotherTry
  }

  /// The message.
  public var description: String { message }
}
