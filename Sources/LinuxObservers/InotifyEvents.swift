import CLinuxObservers
import Glibc
import Operations

/// Reads file events from a non-blocking inotify descriptor.
package enum InotifyEvents {
  /// Reads some of the available events, at most `capacity` bytes, and passes each to `body` without its name.
  ///
  /// - Returns: Whether there were any.
  package static func readSome(
    from descriptor: Int32, capacity: Int = 64 << 10, _ body: (_ event: inotify_event) -> Void
  ) -> Bool {
    let size = MemoryLayout<inotify_event>.size
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0, let base = buffer.baseAddress else { return false }
      var offset = 0
      while offset + size <= count {
        let event = (base + offset).loadUnaligned(as: inotify_event.self)
        body(event)
        offset += size + Int(event.len)
      }
      return true
    }
  }

  /// Reads all available events, up to `capacity` bytes at a time, and passes each to `body` with the name it concerns, if any.
  package static func read(
    from descriptor: Int32, capacity: Int = 16 << 10, _ body: (_ event: inotify_event, _ name: String?) -> Void
  ) {
    let size = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0, let base = buffer.baseAddress else { return }
        var offset = 0
        while offset + size <= count {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let text = (base + offset + size).assumingMemoryBound(to: CChar.self)
          body(event, event.len > 0 ? String(cString: text) : nil)
          offset += size + Int(event.len)
        }
      }
    }
  }
}
