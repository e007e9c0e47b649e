import Synchronization
import Values

@testable import PluginHost

/// A storage that lasts as long as the test.
final class MemoryStorage: PluginStorage {
  private let values = Mutex<[String: JSONValue]>([:])

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    guard let value = values.withLock({ $0[key] }) else { throw .unknown }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    values.withLock { $0[key] = value }
  }

  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
    values.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
  }
}
