import CProcess
import Glibc
import PluginKit

/// An open file that is closed when the last reference is released.
final class FileDescriptor: Sendable {
  /// The number of the descriptor.
  let number: Int32

  /// Takes ownership of `number`.
  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Returns a descriptor that ``signal()`` makes readable.
  static func wake() throws -> FileDescriptor {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw systemProblem("eventfd") }
    return FileDescriptor(number)
  }

  /// Returns a pipe whose reading end does not block.
  static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
    var ends: [Int32] = [-1, -1]
    let failure = penstock_pipe(&ends)
    guard failure == 0 else { throw systemProblem("pipe", failure) }
    let (reading, writing) = (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
    guard fcntl(reading.number, F_SETFL, O_NONBLOCK) == 0 else { throw systemProblem("fcntl") }
    return (reading, writing)
  }

  /// Makes a descriptor of ``wake()`` readable.
  func signal() { _ = eventfd_write(number, 1) }

  /// Makes a descriptor of ``wake()`` unreadable again.
  func drain() {
    var count: eventfd_t = 0
    _ = eventfd_read(number, &count)
  }
}

/// Returns the system's message for an error number.
func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }

func systemProblem(_ call: String, _ number: Int32 = errno) -> PluginProblem {
  PluginProblem("system-error", "\(call) failed: \(systemMessage(number))")
}

/// Runs `body` on a new thread or, if the system has none left, on this one.
// Does not use `SystemThread` of OperatingSystem, as this plugin links only PluginKit and CProcess.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let work = Unmanaged.passRetained(ThreadWork(name: name, body: body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, &attributes,
    { context in
      guard let context else { return nil }
      let work = Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
      penstock_name_thread(work.name)
      work.body()
      return nil
    }, work.toOpaque())
  if failure != 0 { work.takeRetainedValue().body() }
}

private final class ThreadWork: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
