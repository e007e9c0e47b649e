import CPluginKit
import Synchronization

/// A plugin's side of the contract: describes the plugin and creates its instances.
package final class PluginRuntime: Sendable {
  private let offers: [Offer]
  private let identity: @Sendable () -> JSONMembers
  private let connection = Mutex<HostConnection?>(nil)

  /// Creates the runtime of `plugin`.
  package init<P: Plugin>(_ plugin: P.Type) {
    offers = plugin.offers
    identity = {
      var members: JSONMembers = [
        "id": .string(plugin.id), "version": .string(plugin.version), "summary": .string(plugin.summary),
      ]
      members["author"] = plugin.author.map { .string($0) }
      members["license"] = plugin.license.map { .string($0) }
      members["homepage"] = plugin.homepage.map { .string($0) }
      return members
    }
  }

  /// The description for the contract's `describe`. Offers whose settings cannot be described are omitted and listed in ``problems``.
  package var description: JSONValue {
    var members = identity()
    members["offers"] = .array(offers.compactMap { try? $0.description() })
    return .object(members)
  }

  /// The problems of the plugin's own declarations, as sentences that begin with the offer's id.
  package var problems: [String] {
    offers.flatMap { offer in
      var problems = offer.problems()
      do {
        _ = try offer.description()
      } catch {
        problems.append("a default cannot be written as JSON: \(PluginProblem(error).message)")
      }
      return problems.map { "\(offer.id): \($0)" }
    }
  }

  // MARK: The contract's functions

  /// Returns the description as text that is never freed, since hosts may keep it.
  package func describedText() -> penstock_text {
    var bytes: [UInt8] = []
    description.write(to: &bytes)
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    return penstock_text(bytes: UnsafePointer(copy.baseAddress), length: bytes.count)
  }

  package func open(_ host: UnsafePointer<penstock_host>) -> penstock_status {
    guard let connection = HostConnection(host) else { return .unavailable }
    let problems = problems
    for problem in problems { connection.log(.none, .error, problem, nil) }
    guard problems.isEmpty else { return .failed }
    self.connection.withLock { $0 = connection }
    return .ok
  }

  package func close() {
    let connection = connection.withLock { connection in
      defer { connection = nil }
      return connection
    }
    connection?.close()
  }

  package func create(
    _ kind: Offer.Kind, _ id: penstock_id, offer offerID: penstock_text, settings: penstock_text,
    _ instance: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> penstock_status {
    guard let connection = connection.withLock({ $0 }) else { return .unavailable }
    let handle = InstanceHandle(id)
    let link = InstanceLink(host: connection, id: handle)
    let name = offerID.string
    guard let offer = offers.first(where: { $0.kind == kind && $0.id == name }) else {
      link.fail(PluginProblem("no-such-offer", "the plugin has no \(kind.rawValue) '\(name)'"))
      handle.close()
      return .unknown
    }
    do {
      let made = try offer.make(link, try settings.value() ?? .object([:]))
      instance.pointee = Unmanaged.passRetained(InstanceBox(made, handle)).toOpaque()
      return .ok
    } catch {
      link.fail(PluginProblem(error))
      handle.close()
      return .invalid
    }
  }
}
