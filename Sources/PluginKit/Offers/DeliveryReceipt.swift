import CPluginKit
import Synchronization

/// Carries the host's answer back to the controller that yielded something.
final class DeliveryReceipt: Sendable {
  private let answer = Mutex<Delivery?>(nil)

  /// The outcome; nil if no host was called.
  var delivery: Delivery? { answer.withLock { $0 } }

  func note(_ status: penstock_status) { answer.withLock { $0 = Delivery(status) } }
}

extension Delivery {
  init(_ status: penstock_status) {
    switch status {
    case .ok: self = .kept
    case .full: self = .full
    default: self = .refused
    }
  }
}

extension OperationContext {
  private enum DeliveryReceiptKey: Key { static let defaultValue: DeliveryReceipt? = nil }

  /// Receives the host's answer.
  var deliveryReceipt: DeliveryReceipt? {
    get { self[DeliveryReceiptKey.self] }
    set { self[DeliveryReceiptKey.self] = newValue }
  }
}
