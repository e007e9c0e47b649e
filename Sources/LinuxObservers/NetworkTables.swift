import CLinuxObservers
import Glibc
import Operations

/// The kernel's network state, as far as it determines whether this computer is connected.
struct NetworkTables: Equatable {
  /// A link, reduced to the flags that matter.
  struct Link: Equatable {
    var isUp: Bool
    /// Whether the link is up and has a peer.
    var isRunning: Bool
    var isLoopback: Bool

    var canCarryTraffic: Bool { isUp && isRunning && !isLoopback }
  }

  /// An address at which other computers can reach this one.
  struct Address: Equatable, Hashable {
    var link: Int32
    var family: UInt8
  }

  /// A route to everywhere. If it lists no links, it may use any.
  struct DefaultRoute: Equatable {
    var family: UInt8
    var links: [Int32]
  }

  var links: [Int32: Link] = [:]
  var addresses: [Address] = []
  var defaultRoutes: [DefaultRoute] = []

  /// How well the computer is connected.
  ///
  /// Connected means that a default route uses a link that can carry traffic, and that the computer has an address of the same family on a link
  /// that is up. The address may be on a different link from the route, even on the loopback, as with unnumbered routers.
  var status: NetworkConnectionStatus {
    guard links.values.contains(where: \.canCarryTraffic) else { return .disconnected }
    let families = Set(addresses.filter { links[$0.link]?.isUp == true }.map(\.family))
    let isRouted = defaultRoutes.contains { route in
      families.contains(route.family)
        && (route.links.isEmpty || route.links.contains { links[$0]?.canCarryTraffic == true })
    }
    return isRouted ? .connected : .requiresConnection
  }

  /// Adds the entry of a dump message.
  mutating func take(_ message: NetlinkMessages.Message) {
    switch message.type {
    case Int(RTM_NEWLINK):
      if let (index, link) = Self.link(in: message) { links[index] = link }
    case Int(RTM_NEWADDR):
      if let address = Self.address(in: message) { addresses.append(address) }
    case Int(RTM_NEWROUTE):
      if let route = Self.defaultRoute(in: message) { defaultRoutes.append(route) }
    default: break
    }
  }

  /// Returns whether a kernel notification may invalidate these tables.
  ///
  /// Links send notifications without cause (wireless ones on each scan), and a router learns thousands of routes, so only relevant changes count.
  func isAffected(by message: NetlinkMessages.Message) -> Bool {
    switch message.type {
    case Int(RTM_NEWLINK):
      guard let (index, link) = Self.link(in: message) else { return false }
      return links[index] != link
    case Int(RTM_DELLINK):
      guard let (index, _) = Self.link(in: message) else { return false }
      return links[index] != nil
    case Int(RTM_NEWADDR):
      guard let address = Self.address(in: message) else { return false }
      return !addresses.contains(address)
    case Int(RTM_DELADDR): return true
    case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): return Self.defaultRoute(in: message) != nil
    default: return false
    }
  }

  private static func link(in message: NetlinkMessages.Message) -> (Int32, Link)? {
    guard let info = message.body.value(ifinfomsg.self) else { return nil }
    let flags = Int(info.ifi_flags)
    return (
      info.ifi_index,
      Link(
        isUp: flags & Int(IFF_UP) != 0, isRunning: flags & Int(IFF_RUNNING) != 0,
        isLoopback: flags & Int(IFF_LOOPBACK) != 0)
    )
  }

  private static func address(in message: NetlinkMessages.Message) -> Address? {
    guard let info = message.body.value(ifaddrmsg.self) else { return nil }
    let isUsable = Int32(info.ifa_flags) & (IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0
    guard isUsable, Int(info.ifa_scope) < Int(RT_SCOPE_LINK.rawValue) else { return nil }
    return Address(link: Int32(bitPattern: info.ifa_index), family: info.ifa_family)
  }

  private static func defaultRoute(in message: NetlinkMessages.Message) -> DefaultRoute? {
    guard let info = message.body.value(rtmsg.self) else { return nil }
    let isDefault = info.rtm_dst_len == 0 && Int(info.rtm_type) == Int(RTN_UNICAST)
    guard isDefault, Int(info.rtm_table) != Int(RT_TABLE_LOCAL.rawValue) else { return nil }
    guard Int32(info.rtm_family) == AF_INET || Int32(info.rtm_family) == AF_INET6 else { return nil }
    var route = DefaultRoute(family: info.rtm_family, links: [])
    for (type, value) in NetlinkAttributes(message.body, after: MemoryLayout<rtmsg>.size) {
      switch type {
      case Int(RTA_OIF.rawValue):
        if let index = value.value(Int32.self) { route.links.append(index) }
      case Int(RTA_MULTIPATH.rawValue):
        route.links += nextHops(in: value)
      default: break
      }
    }
    return route
  }

  private static func nextHops(in bytes: UnsafeRawBufferPointer) -> [Int32] {
    var (rest, links) = (bytes, [Int32]())
    while let hop = rest.value(rtnexthop.self) {
      let length = Int(hop.rtnh_len)
      guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
      links.append(hop.rtnh_ifindex)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst((length + 3) & ~3))
    }
    return links
  }
}
