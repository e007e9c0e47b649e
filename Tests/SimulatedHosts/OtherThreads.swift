import Foundation

/// Reports when all other threads of this process sleep: then all work waits for a clock or a descriptor.
///
/// For a process that only simulates. A thread that waits in real time also counts as sleeping.
struct OtherThreads {
  /// Descriptors of `/proc/self/task/*/stat` of all threads but this one.
  private var threads: [Int32] = []
  private var count = -1
  /// The descriptor of `/proc/self/task`, whose number of links is the number of threads.
  private let directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  /// The first thread to check: it was awake at the last check.
  private var first = 0
  /// Nanoseconds of processor time that others may use between two readings of their clocks: less than any thread needs to wake up.
  private static let noise: Int64 = 2500
  /// Nanoseconds of processor time between two readings from which others probably use more.
  private static let work: Int64 = 10_000
  /// How long to sleep between two readings, in nanoseconds: longer than a thread needs to wake another. While they work, a tenth of the time for which
  /// they have worked, because each reading takes a processor from them.
  private static let (shortPause, longestPause) = (10_000, 1_000_000)

  /// How long they may work without coming to rest, in nanoseconds.
  private static let limit: Int64 = 60_000_000_000

  /// For the main thread of a process, which from then on wakes up on time rather than 50 µs later.
  init() {
    let descriptor = open("/proc/self/timerslack_ns", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    write(descriptor, "1", 1)
    close(descriptor)
  }

  /// Returns when all other threads sleep; false if they do not within a minute.
  mutating func settle() -> Bool {
    let began = Self.time(CLOCK_MONOTONIC)
    var before = Self.used()
    var pause = Self.shortPause
    while true {
      // While they work, they have the processors to themselves.
      Self.sleep(pause)
      // Their processor time is read first, because that costs a hundredth of checking each of them.
      let now = Self.used()
      let time = Self.time(CLOCK_MONOTONIC)
      pause =
        now - before > Self.work
        ? min(max(Self.shortPause, Int(time - began) / 10), Self.longestPause) : Self.shortPause
      if now - before < Self.noise, areAsleep() {
        let after = Self.used()
        if after - before < Self.noise { return true }
        before = after
      } else {
        before = now
      }
      if time - began > Self.limit { return false }
    }
  }

  /// The processor time used by the other threads, in nanoseconds.
  private static func used() -> Int64 {
    let all = time(CLOCK_PROCESS_CPUTIME_ID)
    return all - time(CLOCK_THREAD_CPUTIME_ID)
  }

  private static func sleep(_ nanoseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    nanosleep(&time, nil)
  }

  private static func time(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether all threads sleep. A thread that has started or ended does not count as sleeping.
  private mutating func areAsleep() -> Bool {
    for offset in 0..<threads.count {
      let index = (first + offset) % threads.count
      switch Self.isAsleep(threads[index]) {
      case true?: continue
      case false?:
        first = index
        return false
      case nil:
        list()
        return false
      }
    }
    if Self.links(of: directory) == count { return true }
    list()
    return false
  }

  private static func links(of descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : -1
  }

  /// The names of the threads that do not sleep.
  var awake: [String] {
    threads.compactMap { thread in
      guard Self.isAsleep(thread) == false else { return nil }
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = pread(thread, &buffer, buffer.count, 0)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: ")").first.map(String.init)
    }
  }

  private mutating func list() {
    count = Self.links(of: directory)
    for thread in threads { close(thread) }
    threads = []
    first = 0
    guard let directory = opendir("/proc/self/task") else { return }
    defer { closedir(directory) }
    // `gettid` is not available in Swift.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/")
      .last
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard Int32(name) != nil, name != own.map(String.init) else { continue }
      let descriptor = open("/proc/self/task/\(name)/stat", O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { threads.append(descriptor) }
    }
  }

  /// Returns nil if the thread has ended.
  private static func isAsleep(_ descriptor: Int32) -> Bool? {
    // A number, a name of at most 15 characters in parentheses, and the state.
    withUnsafeTemporaryAllocation(byteCount: 40, alignment: 1) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      // Without the standard algorithms: this runs hundreds of thousands of times, in tests that are built without optimization.
      guard let start = buffer.baseAddress, count > 4 else { return nil }
      var end = count - 3
      while end > 0, start.load(fromByteOffset: end, as: UInt8.self) != UInt8(ascii: ")") { end -= 1 }
      guard end > 0 else { return nil }
      return start.load(fromByteOffset: end + 2, as: UInt8.self) == UInt8(ascii: "S")
    }
  }
}
