import CPluginKit
import Synchronization

/// Takes what the host has answered to something that a controller told, back to where it was told.
final class DeliveryReceipt: Sendable {
  private let answer = Mutex<Delivery?>(nil)

  /// What has become of it; nil where no host was asked.
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

  /// Told what the host answers.
  var deliveryReceipt: DeliveryReceipt? {
    get { self[DeliveryReceiptKey.self] }
    set { self[DeliveryReceiptKey.self] = newValue }
  }
}
