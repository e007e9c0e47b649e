import Glibc
import Testing

@testable import OperatingSystem

@Suite("Wake descriptors") struct WakeDescriptorTests {
  private func isReadable(_ wake: WakeDescriptor, within milliseconds: Int32 = 0) -> Bool {
    var wait = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
    return poll(&wait, 1, milliseconds) == 1
  }

  @Test("a descriptor is readable from a signal until it is drained") func signal() throws {
    let wake = try WakeDescriptor()
    #expect(!isReadable(wake))
    wake.signal()
    #expect(isReadable(wake))
    #expect(isReadable(wake))
    wake.drain()
    #expect(!isReadable(wake))
  }

  @Test("many signals are drained as one, and draining without a signal does not wait") func manySignals() throws {
    let wake = try WakeDescriptor()
    for _ in 0..<1000 { wake.signal() }
    wake.drain()
    #expect(!isReadable(wake))
    wake.drain()
    wake.signal()
    #expect(isReadable(wake))
  }

  @Test("a thread wakes another one that is waiting") func otherThread() throws {
    let wake = try WakeDescriptor()
    let thread = try SystemThread("test-wake") {
      usleep(20_000)
      wake.signal()
    }
    #expect(isReadable(wake, within: 10_000))
    thread.join()
  }

  @Test("a descriptor is close-on-exec, and is closed with its last reference") func life() async {
    // In a separate process, where the number is not reused.
    await #expect(processExitsWith: .success) {
      var wake = try? WakeDescriptor()
      guard let number = wake?.number, fcntl(number, F_GETFD) == FD_CLOEXEC else { exit(2) }
      wake = nil
      exit(fcntl(number, F_GETFD) == -1 ? 0 : 3)
    }
  }

  @Test("without descriptors left, creating one throws the system's error") func exhaustion() async {
    await #expect(processExitsWith: .success) {
      Descriptors.exhaust()
      do throws(SystemError) {
        _ = try WakeDescriptor()
      } catch {
        exit(error == SystemError("eventfd", EMFILE) ? 0 : 2)
      }
      exit(3)
    }
  }
}

/// Controls the descriptors of an exit test's process.
enum Descriptors {
  /// Makes every attempt to open a descriptor fail with `EMFILE`.
  static func exhaust() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
