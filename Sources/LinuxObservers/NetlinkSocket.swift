import CLinuxObservers
import Glibc
import OperatingSystem
import Operations

/// A socket to the kernel's tables of links, addresses and routes. Nothing sent through it leaves the computer.
///
/// It belongs to the network namespace of the thread that creates it, whichever thread uses it later.
struct NetlinkSocket: Sendable {
  let descriptor: Descriptor

  /// Creates a socket that receives changes of the multicast `groups`; a socket for queries has none.
  init(groups: UInt32) throws(ObserverError) {
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = try Descriptor(socket(AF_NETLINK, kind, NETLINK_ROUTE), from: "socket(AF_NETLINK)")
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = groups
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard result == 0 else { throw .systemCall("bind(AF_NETLINK)", errno) }
  }

  /// The groups in which the kernel reports links, addresses and routes.
  static let changes = UInt32(
    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)

  /// Queries all tables. The kernel answers during the request, so there is nothing to wait for.
  func readTables() throws(ObserverError) -> NetworkTables {
    // A table that changed during the dump is reread; after four attempts it is taken as it is.
    for _ in 0..<4 {
      var tables = NetworkTables()
      var isWhole = true
      for request in [RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE] {
        isWhole = try dump(Int(request), into: &tables) && isWhole
      }
      if isWhole { return tables }
    }
    var tables = NetworkTables()
    for request in [RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE] { _ = try dump(Int(request), into: &tables) }
    return tables
  }

  /// Calls `body` with each message that has arrived, and returns when there are no more.
  ///
  /// - Returns: Whether all messages arrived; false if the kernel had to drop some.
  func drain(_ body: (NetlinkMessages.Message) -> Void) -> Bool {
    var isComplete = true
    withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
      while true {
        let count = SystemCall.retrying { recv(descriptor.number, buffer.baseAddress, buffer.count, 0) }
        if count > 0 {
          NetlinkMessages(UnsafeRawBufferPointer(rebasing: buffer[..<count])).forEach(body)
        } else if count < 0, errno == ENOBUFS {
          isComplete = false
        } else {
          return
        }
      }
    }
    return isComplete
  }

  /// The maximum size of one part of a kernel dump; see `NLMSG_GOODSIZE` and `netlink_recvmsg`.
  private static let bufferSize = 32 * 1024

  /// Reads one table.
  ///
  /// - Returns: Whether the table remained unchanged during the read.
  private func dump(_ type: Int, into tables: inout NetworkTables) throws(ObserverError) -> Bool {
    struct Request {
      var header: nlmsghdr
      var body: rtgenmsg
    }
    var request = Request(header: nlmsghdr(), body: rtgenmsg(rtgen_family: UInt8(AF_UNSPEC)))
    request.header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + MemoryLayout<rtgenmsg>.size)
    request.header.nlmsg_type = UInt16(type)
    request.header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
    request.header.nlmsg_seq = UInt32(type)
    guard send(descriptor.number, &request, Int(request.header.nlmsg_len), 0) >= 0 else {
      throw .systemCall("send(AF_NETLINK)", errno)
    }
    var isWhole = true
    while true {
      let outcome = withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
        let count = SystemCall.retrying { recv(descriptor.number, buffer.baseAddress, buffer.count, 0) }
        guard count > 0 else { return DumpStep.failed(errno) }
        for message in NetlinkMessages(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
          if message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { isWhole = false }
          if message.sequence != UInt32(type) { continue }
          switch message.type {
          case Int(NLMSG_DONE): return .done
          case Int(NLMSG_ERROR): return .failed(-(message.body.value(Int32.self) ?? -EIO))
          default: tables.take(message)
          }
        }
        return .more
      }
      switch outcome {
      case .more: continue
      case .done: return isWhole
      case .failed(let error): throw .systemCall("recv(AF_NETLINK)", error)
      }
    }
  }

  private enum DumpStep {
    case more
    case done
    case failed(Int32)
  }
}
