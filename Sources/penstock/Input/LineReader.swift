import Glibc
import OperatingSystem
import PipelineLanguage

/// Reads a file or pipe line by line.
final class LineReader {
  /// The maximum length of a line of an import, in bytes: a run of a hundred thousand operations has less.
  static let longestLine = 128 << 20
  /// The maximum time that a pipe may stay silent.
  private static let patience = Duration.seconds(60)

  /// Owns the descriptor that is read; standard input has no owner.
  private final class Source {
    let file: InputFile
    init(_ file: consuming InputFile) { self.file = file }
  }

  private let source: Source?
  /// The name of the input for messages.
  let name: String
  private let limit: Int
  private var number = 0
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - limit: The maximum length of a line, in bytes.
  /// - Throws: `CommandFailure`.
  init(_ path: String, limit: Int = longestLine) throws {
    self.limit = limit
    name = path == "-" ? "standard input" : "'\(TerminalText.visible(path))'"
    do {
      source = path == "-" ? nil : Source(try InputFile(path, accepts: .streams))
    } catch {
      throw CommandFailure("\(name) cannot be read: \(error.reason)")
    }
  }

  /// Returns the next line without its line feed; nil after the last one.
  func next() throws -> [UInt8]? {
    number += 1
    var searched = start
    while true {
      if let end = lineFeed(from: searched) {
        defer { start = end + 1 }
        return Array(buffer[start..<end])
      }
      if isAtEnd {
        defer { start = buffer.count }
        return start < buffer.count ? Array(buffer[start...]) : nil
      }
      if start > 0 { buffer.removeSubrange(..<start) }
      start = 0
      searched = buffer.count
      guard buffer.count <= limit else {
        throw CommandFailure(
          "\(name) cannot be read: line \(number) is longer than \(limit >> 20) MiB, so it is not what `history export` writes"
        )
      }
      try fill()
    }
  }

  /// Returns the position of the next line feed. Uses `memchr`, since a line may have 128 MiB: a loop takes 4 s in an unoptimized build.
  private func lineFeed(from first: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard first < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + first, 0x0A, bytes.count - first).map { UnsafeRawPointer($0) - base }
    }
  }

  private func fill() throws {
    let piece: [UInt8]
    if let source {
      do {
        piece = try source.file.prefix(1 << 16, patience: Self.patience)
      } catch {
        throw CommandFailure("\(name) cannot be read: \(error.reason)")
      }
    } else {
      piece = try fromStandardInput()
    }
    isAtEnd = piece.isEmpty
    buffer += piece
  }

  private func fromStandardInput() throws -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = SystemCall.retrying { read(STDIN_FILENO, &chunk, chunk.count) }
    guard count >= 0 else { throw CommandFailure("\(name) cannot be read: \(SystemError.text(of: errno))") }
    return Array(chunk[..<count])
  }
}
