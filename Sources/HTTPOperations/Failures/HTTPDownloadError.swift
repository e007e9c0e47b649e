/// Why a download did not become a file.
public struct HTTPDownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failures. Their raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The target exists, and must not be replaced.
    case targetExists = "target-exists"
    /// Another download to the same target goes on.
    case targetBusy = "target-busy"
    /// A file or directory cannot be made, written or renamed.
    case unwritableTarget = "unwritable-target"
    /// The content has another length than was asked for.
    case lengthMismatch = "length-mismatch"
    /// The content has another checksum than was asked for.
    case checksumMismatch = "checksum-mismatch"
    /// The server sent a part of the content that nobody asked for.
    case unexpectedRange = "unexpected-range"
  }

  /// The kind of failure.
  public var code: Code
  /// What is wrong, and what to do: for people.
  public var message: String
  /// Whether the content may be right next time: where it was put together of several transfers.
  public var isWorthAnotherTry: Bool
  /// The error number where the process had no descriptor or memory to open the file, before anything was sent; else nil.
  package var shortage: Int32?

  /// A failure; by default one that will be the same next time.
  public init(_ code: Code, _ message: String, isWorthAnotherTry: Bool = false) {
    self.code = code
    self.message = message
    self.isWorthAnotherTry = isWorthAnotherTry
  }

  /// The message.
  public var description: String { message }
}
