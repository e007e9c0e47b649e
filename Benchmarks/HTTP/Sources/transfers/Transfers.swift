import Glibc
import HTTPOperations
import Operations
import Synchronization

/// What Penstock's client takes, printed as `name value` lines. `measure` says what for.
///
///     transfers requests URL COUNT CONCURRENCY    small responses, so many at a time
///     transfers download URL FILE                 one response into a file
///     transfers retries URL COUNT SECONDS         operations that wait for their next attempt, where nobody answers
@main
struct Transfers {
  static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "requests" where arguments.count == 5:
      try await requests(arguments[2], count: Int(arguments[3]) ?? 0, concurrency: Int(arguments[4]) ?? 1)
    case "download" where arguments.count == 4:
      try await download(arguments[2], to: arguments[3])
    case "retries" where arguments.count == 5:
      try await retries(arguments[2], count: Int(arguments[3]) ?? 0, seconds: Int(arguments[4]) ?? 0)
    default:
      print("usage: transfers requests URL COUNT CONCURRENCY | download URL FILE | retries URL COUNT SECONDS")
      exit(2)
    }
  }

  /// What is left to be sent, and how much has come.
  private final class Progress: Sendable {
    let left: Atomic<Int>
    let bytes = Atomic(0)
    /// How many wait for their next attempt.
    let waiting = Atomic(0)

    init(_ count: Int) { left = Atomic(count) }
  }

  static func requests(_ url: String, count: Int, concurrency: Int) async throws {
    let client = HTTPClient()
    let request = HTTPTransferRequest(url: url)
    func run(_ count: Int) async throws -> Int {
      let progress = Progress(count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<concurrency {
          group.addTask {
            while progress.left.subtract(1, ordering: .relaxed).newValue >= 0 {
              let result = try await client.transfer(request, to: HTTPMemoryReceiver())
              progress.bytes.add(result.body.count, ordering: .relaxed)
            }
          }
        }
        try await group.waitForAll()
      }
      return progress.bytes.load(ordering: .relaxed)
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

  static func retries(_ url: String, count: Int, seconds: Int) async throws {
    let progress = Progress(0)
    let all = AsyncStream<Void>.makeStream()
    var context = OperationContext()
    context.retryObserver = RetryObserver(onWait: { _ in
      if progress.waiting.add(1, ordering: .relaxed).newValue % count == 0 { all.continuation.yield() }
    })
    var arrivals = all.stream.makeAsyncIterator()
    let client = HTTPClient()
    var operation = HTTPOperation(HTTPTransferRequest(url: url), by: client, to: .data)
    operation.retry = HTTPRetrySettings(limit: 1, backoff: .constant(.seconds(3600)), budget: nil)
    let runner = OperationRunner(operation, context: context)
    // A first one, so that what comes is that of the retries alone.
    func wait(for count: Int) async -> [Task<[UInt8], any Error>] {
      var tasks: [Task<[UInt8], any Error>] = []
      tasks.reserveCapacity(count)
      for number in 1...count {
        tasks.append(Task { try await runner.run() })
        // Their first attempts at the pace of the client, so that its own memory stays that of a few.
        while number - progress.waiting.load(ordering: .relaxed) > 32 { await Task.yield() }
      }
      return tasks
    }
    let warm = Task { try await runner.run() }
    while progress.waiting.load(ordering: .relaxed) < 1 { await Task.yield() }
    progress.waiting.store(0, ordering: .relaxed)
    let before = residentBytes()
    let tasks = await wait(for: count)
    _ = await arrivals.next()
    let resident = residentBytes() - before
    let processor = processorSeconds()
    try await Task.sleep(for: .seconds(seconds))
    print("waiting \(count)\nresident \(resident / count)")
    print("processor \(processorSeconds() - processor)")
    for task in tasks + [warm] { task.cancel() }
    for task in tasks { _ = await task.result }
  }

  static func report(seconds: Double) {
    print("seconds \(seconds)\nprocessor \(processorSeconds())")
  }

  /// What the process has taken of the processors, in seconds.
  static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
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
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}
