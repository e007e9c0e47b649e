import LinuxObservers
import PluginKit

/// The standard plugin `network`: whether there is a network connection, and whether a service can be reached.
package struct Network: Plugin {
  package static let id = "network"
  package static let version = "1.0.0"
  package static let summary = "Network connectivity of the computer, and reachability of services"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = offers(of: NetlinkObserver.shared)

  /// Returns the offers, based on this observer.
  static func offers(of observer: some NetworkObserver) -> [Offer] {
    [
      .specification(
        "network.connected", "The computer is connected to a network", ConnectedRunSpecification(to: observer)),
      .specification("network.reachable", "A host accepts connections") { (settings: ReachableSettings) in
        ReachableSpecification(settings, network: observer)
      },
    ]
  }
}
