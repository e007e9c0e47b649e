import Glibc

/// How many more files this process may open at present.
package enum DescriptorRoom {
  /// Whether there is room for so many more. It opens that many, and closes them again.
  ///
  /// For what ends the process, or fails for good, where it finds none: libraries do.
  package static func isThere(for count: Int) -> Bool {
    let opened = (0..<count).lazy.map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }.prefix { $0 >= 0 }
    let descriptors = Array(opened)
    for descriptor in descriptors { close(descriptor) }
    return descriptors.count == count
  }
}
