import Glibc
import HTTPOperations
import Synchronization

/// What Penstock's client takes, printed as `name value` lines. `measure` says what for.
///
///     transfers requests URL COUNT CONCURRENCY    small responses, so many at a time
///     transfers download URL FILE                 one response into a file
@main
struct Transfers {
  static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "requests" where arguments.count == 5:
      try await requests(arguments[2], count: Int(arguments[3]) ?? 0, concurrency: Int(arguments[4]) ?? 1)
    case "download" where arguments.count == 4:
      try await download(arguments[2], to: arguments[3])
    default:
      print("usage: transfers requests URL COUNT CONCURRENCY | download URL FILE")
      exit(2)
    }
  }

  static func requests(_ url: String, count: Int, concurrency: Int) async throws {
    let client = HTTPClient()
    let request = HTTPTransferRequest(url: url)
    func run(_ count: Int) async throws -> Int {
      let left = Atomic(count)
      let bytes = Atomic(0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<concurrency {
          group.addTask {
            while left.subtract(1, ordering: .relaxed).newValue >= 0 {
              let result = try await client.transfer(request, to: HTTPMemoryReceiver())
              bytes.add(result.body.count, ordering: .relaxed)
            }
          }
        }
        try await group.waitForAll()
      }
      return bytes.load(ordering: .relaxed)
    }
    _ = try await run(concurrency * 4)
    let start = ContinuousClock.now
    let bytes = try await run(count)
    report(seconds: start.duration(to: .now) / .seconds(1))
    print("bytes \(bytes)")
  }

  static func download(_ url: String, to path: String) async throws {
    let client = HTTPClient()
    struct FileReceiver: HTTPBodyReceiver {
      let descriptor: Int32
      func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination { .file(descriptor: descriptor) }
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw HTTPTransferError(.unwritableFile, path) }
    // A first transfer, so that the growth is that of the download alone.
    var request = HTTPTransferRequest(method: .head, url: url)
    request.options.decompresses = false
    _ = try await client.transfer(request, to: HTTPMemoryReceiver())
    let before = residentBytes()
    request.method = .get
    let start = ContinuousClock.now
    let result = try await client.transfer(request, to: FileReceiver(descriptor: descriptor))
    let seconds = start.duration(to: .now) / .seconds(1)
    report(seconds: seconds)
    print("bytes \(result.statistics.bytesDelivered)")
    print("growth \(peakBytes() - before)")
  }

  static func report(seconds: Double) {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    let processor =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
      / 1e6
    print("seconds \(seconds)\nprocessor \(processor)")
  }

  /// What is resident now, in bytes.
  static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// The most that was ever resident, in bytes.
  static func peakBytes() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss * 1024
  }
}
