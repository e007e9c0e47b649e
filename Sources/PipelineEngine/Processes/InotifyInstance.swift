import Glibc
import OperatingSystem

/// An inotify descriptor, open as long as it or one of its watches is referenced.
final class InotifyInstance {
  let descriptor: Int32

  /// Fails if the user has no inotify instances left, or the process no descriptors.
  init?() {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }
}

/// A watch of a file or directory, which ends with the value.
final class InotifyWatch {
  let number: Int32
  private let instance: InotifyInstance

  init(_ number: Int32, of instance: InotifyInstance) {
    self.number = number
    self.instance = instance
  }

  // It may have ended with its file.
  deinit { inotify_rm_watch(instance.descriptor, number) }
}
