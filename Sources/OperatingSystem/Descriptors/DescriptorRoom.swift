import Glibc

/// Checks how many more files this process may open.
package enum DescriptorRoom {
  /// Returns whether `count` more files can be opened, by opening and closing that many.
  ///
  /// For use before calling a library that terminates the process or fails permanently when it runs out of descriptors.
  package static func isThere(for count: Int) -> Bool {
    let opened = (0..<count).lazy.map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }.prefix { $0 >= 0 }
    let descriptors = Array(opened)
    for descriptor in descriptors { close(descriptor) }
    return descriptors.count == count
  }
}
