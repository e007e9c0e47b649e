import PluginABI
import Values

extension PluginOffer {
  /// The number of states and reruns of one controller that may wait until they are taken; see plugin.h.
  package static let mostWaiting = Int(PENSTOCK_MOST_WAITING)
  /// The same for reruns with an instant.
  package static let mostWaitingInstants = Int(PENSTOCK_MOST_WAITING_INSTANTS)
}

/// Counts a controller's signals that have not been taken: see PENSTOCK_MOST_WAITING in plugin.h.
struct WaitingSignals {
  private var count = 0
  /// The number of signals refused since there was room.
  private var refused = 0

  /// Counts another signal.
  ///
  /// - Parameters:
  ///   - hasInstant: Whether it is a rerun for an instant, or reports instants that are left out.
  ///   - weight: How many it counts as: see ``PluginSignal/weight``.
  /// - Returns: Whether there is room for it and, if not, whether it is the first one that is refused.
  mutating func add(hasInstant: Bool, weight: Int = 1) -> (isKept: Bool, isFirstRefused: Bool) {
    guard count + weight <= (hasInstant ? PluginOffer.mostWaitingInstants : PluginOffer.mostWaiting) else {
      refused += 1
      return (false, refused == 1)
    }
    count += weight
    return (true, false)
  }

  /// Notes that `settled` signals were taken.
  ///
  /// - Returns: How many were refused before there was room again; 0 while there is no room, or if none were.
  mutating func settle(_ settled: Int) -> Int {
    // The count may include signals of an instance before this one.
    count = max(count - settled, 0)
    guard count < PluginOffer.mostWaiting else { return 0 }
    defer { refused = 0 }
    return refused
  }
}

extension InProcessInstance {
  /// Reports a state, a rerun or instants that are left out, if there is room for it.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - hasInstant: Whether it is a rerun for an instant, or reports instants that are left out.
  ///   - weight: What it counts as, if the caller knows; otherwise, its ``PluginSignal/weight``.
  /// - Returns: `.full` if there is no room.
  func tell(_ signal: PluginSignal, hasInstant: Bool = false, weight: Int? = nil) -> PluginStatus {
    guard keepsSignals, offer.offer.whenFull == .refuse || signal.isLeftOut else { return tell(.yielded(signal)) }
    let weight = weight ?? signal.weight
    let (isKept, isFirstRefused) = count(hasInstant: hasInstant, weight: weight)
    if isFirstRefused {
      _ = log(.warning, "rejecting states and reruns: the queue is full because the pipeline cannot keep up", nil)
    }
    guard isKept else { return .full }
    let status = tell(.yielded(signal))
    if status != .ok { settled(weight) }
    return status
  }

  func settled(_ number: Int) {
    let refused = settle(number)
    guard refused > 1 else { return }
    _ = log(.warning, "rejected \(refused) states or reruns while the queue was full", nil)
  }
}

extension PluginSignal {
  fileprivate var isLeftOut: Bool { if case .leftOut = self { true } else { false } }
}
