import CLinuxObservers
import Operations

/// The messages in one read from a netlink socket.
///
/// Lengths come from the kernel, but nothing is read past the end of the bytes: a message that does not fit ends the sequence.
struct NetlinkMessages: Sequence, IteratorProtocol {
  /// A message: its type, and the bytes after the header.
  struct Message {
    let type: Int
    let flags: UInt16
    let sequence: UInt32
    let body: UnsafeRawBufferPointer
  }

  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  mutating func next() -> Message? {
    let size = MemoryLayout<nlmsghdr>.size
    guard rest.count >= size else { return nil }
    let header = rest.loadUnaligned(as: nlmsghdr.self)
    let length = Int(header.nlmsg_len)
    guard length >= size, length <= rest.count else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: rest[size..<length])
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst((length + 3) & ~3))
    return Message(
      type: Int(header.nlmsg_type), flags: header.nlmsg_flags, sequence: header.nlmsg_seq, body: body)
  }
}

/// The attributes after the fixed part of a message, or the next hops within an attribute; both begin with their length.
struct NetlinkAttributes: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer, after fixed: Int) {
    let offset = (fixed + 3) & ~3
    rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset))
  }

  mutating func next() -> (type: Int, value: UnsafeRawBufferPointer)? {
    let size = MemoryLayout<rtattr>.size
    guard rest.count >= size else { return nil }
    let header = rest.loadUnaligned(as: rtattr.self)
    let length = Int(header.rta_len)
    guard length >= size, length <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst((length + 3) & ~3)) }
    return (Int(header.rta_type), UnsafeRawBufferPointer(rebasing: rest[size..<length]))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the value at the start; nil if there are too few bytes.
  func value<Value: BitwiseCopyable>(_: Value.Type) -> Value? {
    count >= MemoryLayout<Value>.size ? loadUnaligned(as: Value.self) : nil
  }
}
