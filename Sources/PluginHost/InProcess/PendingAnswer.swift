import PluginABI

/// A timer, or the answer of a service, that a plugin waits for.
struct PendingAnswer: @unchecked Sendable {
  // @unchecked: the context belongs to the plugin and is only passed back to it.

  enum Callback {
    case timer(penstock_timer_callback)
    case answer(penstock_answer)
  }

  let callback: Callback
  let context: UnsafeMutableRawPointer?
  private(set) var alarm: PluginAlarm?

  init(_ callback: Callback, context: UnsafeMutableRawPointer?) {
    self.callback = callback
    self.context = context
  }

  mutating func keep(_ alarm: PluginAlarm) { self.alarm = alarm }

  var function: PluginFunction {
    switch callback {
    case .timer: .timer
    case .answer: .answer
    }
  }

  func call(_ status: PluginStatus, _ bytes: [UInt8]) {
    switch callback {
    case .timer(let callback): callback(context, status.rawValue)
    case .answer(let callback): PluginText.with(bytes) { callback(context, status.rawValue, $0) }
    }
  }
}
