import Foundation
import Glibc
import Testing

@testable import OperatingSystem

@Suite("External files") struct InputFileTests {
  private let folder = NSTemporaryDirectory() + "penstock-input-\(UUID().uuidString)"

  private func inFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body()
  }

  private func problem(_ path: String, limit: Int = 100, accepts: InputFile.Acceptance = .regular) -> String? {
    do throws(InputFileError) {
      _ = try InputFile.read(path, limit: limit, accepts: accepts)
      return nil
    } catch {
      return error.description
    }
  }

  private func failure(_ body: () throws(InputFileError) -> Void) -> InputFileError? {
    do throws(InputFileError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func unfinished(_ file: borrowing InputFile) -> InputFileError? {
    do throws(InputFileError) {
      _ = try file.read(limit: 10, patience: .milliseconds(20))
      return nil
    } catch {
      return error
    }
  }

  @Test("are read up to the limit and no further") func limit() throws {
    try inFolder {
      let path = "\(folder)/file"
      try Data(repeating: 65, count: 100).write(to: URL(fileURLWithPath: path))
      #expect(try InputFile.read(path, limit: 100).count == 100)
      #expect(problem(path, limit: 99) == "'\(path)' is larger than 99 bytes")
      #expect(try InputFile(path).prefix(7).count == 7)
      // A sparse file of 20 GB costs no more than the limit.
      #expect(truncate(path, 20 << 30) == 0)
      #expect(problem(path, limit: 1 << 20) == "'\(path)' is larger than 1 MiB")
    }
  }

  @Test("are read in full, whatever size the system reports") func proc() throws {
    #expect(try String(decoding: InputFile.read("/proc/version", limit: 4096), as: UTF8.self).hasPrefix("Linux"))
  }

  @Test(
    "are rejected if they deliver events without end",
    .enabled(if: access("/proc/kmsg", R_OK) == 0 && geteuid() == 0, "the kernel's log cannot be read"),
    .timeLimit(.minutes(1)))
  func endless() {
    // The kernel log already exceeds the limit, or has nothing more for now.
    let problems = ["'/proc/kmsg' is larger than 100 bytes", "'/proc/kmsg' is a file of the kernel that has no end"]
    #expect(problem("/proc/kmsg").map { problems.contains($0) } == true)
  }

  @Test("are opened without waiting, and rejected by kind")
  func kinds() throws {
    try inFolder {
      let fifo = "\(folder)/fifo"
      #expect(mkfifo(fifo, 0o600) == 0)
      #expect(problem(fifo) == "'\(fifo)' is a FIFO or pipe, not a regular file")
      #expect(problem(folder) == "'\(folder)' is a directory")
      for acceptance in [InputFile.Acceptance.regular, .streams] {
        #expect(problem("/dev/zero", accepts: acceptance) == "'/dev/zero' is a device, not a regular file")
        #expect(problem("/dev/null", accepts: acceptance) == "'/dev/null' is a device, not a regular file")
      }
      #expect(problem("\(folder)/none") == "'\(folder)/none' cannot be read: No such file or directory")
      #expect(problem("a\0b") == "'a\0b' cannot be read: No such file or directory")
      let socket = "\(folder)/socket"
      let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8.prefix(107)) }
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      #expect(problem(socket) == "'\(socket)' is a socket, not a regular file")
    }
  }

  @Test("must not be symbolic links if the caller says so") func links() throws {
    try inFolder {
      let link = "\(folder)/link"
      #expect(symlink("/proc/version", link) == 0)
      #expect(problem(link, limit: 4096) == nil)
      let refused = failure { () throws(InputFileError) in _ = try InputFile(link, followsLink: false) }
      #expect(refused == .unsuitable(path: link, .link))
    }
  }

  @Test("may be pipes, which are read to their end with a time limit") func pipes() throws {
    try inFolder {
      let fifo = "\(folder)/fifo"
      #expect(mkfifo(fifo, 0o600) == 0)
      // There is no writer.
      let unwritten = try InputFile(fifo, accepts: .streams)
      #expect(unfinished(unwritten) == .unfinished(path: fifo, .milliseconds(20)))
      let reader = try InputFile(fifo, accepts: .streams)
      let writer = open(fifo, O_WRONLY | O_CLOEXEC)
      #expect(write(writer, "text", 4) == 4)
      // The writer does not close.
      #expect(unfinished(reader) == .unfinished(path: fifo, .milliseconds(20)))
      #expect(write(writer, "text", 4) == 4)
      close(writer)
      #expect(try reader.read(limit: 10) == Array("text".utf8))
    }
  }

  @Test("may be pipes that the process was given, but not named FIFOs") func given() throws {
    try inFolder {
      let fifo = "\(folder)/fifo"
      #expect(mkfifo(fifo, 0o600) == 0)
      #expect(problem(fifo, accepts: .given) == "'\(fifo)' is a FIFO or pipe, not a regular file")
      // A shell does this for `< fifo`, so that `/dev/stdin` leads to it.
      let held = open(fifo, O_RDWR | O_CLOEXEC)
      let nothing = try InputFile("/dev/fd/\(held)", accepts: .given).prefix(0)
      #expect(nothing == [])
      close(held)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      #expect(write(ends[1], "text", 4) == 4)
      close(ends[1])
      let text = try InputFile.read("/dev/fd/\(ends[0])", limit: 10, accepts: .given)
      #expect(text == Array("text".utf8))
      close(ends[0])
      #expect(problem("/dev/null", accepts: .given) == "'/dev/null' is a device, not a regular file")
    }
  }
}
