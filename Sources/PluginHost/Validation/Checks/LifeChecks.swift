import Glibc
import Values

extension CheckContext {
  func create() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    doing("create two instances")
    let first = try instance(plugin, offer)
    let second = try instance(plugin, offer)
    doing("destroy without start")
    first.destroy()
    second.destroy()
    sleep(.milliseconds(50))
    judge("destroy", plugin)
  }

  func run() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    let instance = try instance(plugin, offer)
    doing("start")
    instance.start(goodInput(offer))
    doing("wait for what it tells")
    switch offer.kind {
    case .operation:
      if instance.ends(within: .seconds(5)) {
        if case .failed(let code, let message) = instance.state?.end {
          note = "it ended with fail: \(code): \(message)"
        }
        sleep(.milliseconds(50))
        return instance.destroy()
      }
      note = "it did not end by itself within 5 s"
    case .specification:
      if !instance.tellsValue(within: .seconds(10)) {
        problem("it reported no value within 10 s, so it never satisfies a condition")
      }
    case .controller: sleep(.milliseconds(50))
    }
    let endedByItself = instance.state?.end != nil
    doing("stop")
    instance.stop(grace: order.grace)
    guard instance.ends(within: order.grace + Self.allowance) else {
      problem("it did not end within the \(order.grace.wholeMilliseconds) ms that stop allowed")
      return instance.destroy()
    }
    if case .failed(let code, let message) = instance.state?.end, offer.kind != .operation {
      if endedByItself {
        note = "it ended with fail: \(code): \(message)"
      } else {
        problem("it ended with the failure '\(code)' when it was stopped; it must end with complete and empty text")
      }
    }
    sleep(.milliseconds(50))
    doing("destroy")
    instance.destroy()
    judge("destroy", plugin)
  }

  func stop() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    for delay in delays() {
      doing("stop \(delay.brief) after start")
      let instance = try instance(plugin, offer)
      instance.start(goodInput(offer))
      if delay > .zero { sleep(delay) }
      finish(instance, " (it was stopped \(delay.brief) after its start)")
    }
    doing("stop after the end")
    let ended = try instance(plugin, offer)
    ended.start(goodInput(offer))
    if ended.ends(within: .milliseconds(500)) {
      ended.stop(grace: .milliseconds(100))
      sleep(.milliseconds(50))
      ended.destroy()
    } else {
      finish(ended)
    }
    doing("stop with no time left, and destroy at once")
    let hurried = try instance(plugin, offer)
    hurried.start(goodInput(offer))
    hurried.stop(grace: .zero)
    hurried.destroy()
    sleep(.milliseconds(100))
    judge("destroy", plugin)
  }

  func destroy() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    for delay in delays() {
      doing("destroy \(delay.brief) after start, without stop")
      let instance = try instance(plugin, offer)
      instance.start(goodInput(offer))
      if delay > .zero { sleep(delay) }
      instance.destroy()
    }
    doing("nothing, after all instances were destroyed")
    sleep(.milliseconds(300))
    judge("destroy", plugin)
  }

  func latency() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    for round in 0..<11 {
      doing("round \(round) of create, start, stop, destroy")
      let instance = try instance(plugin, offer)
      instance.start(goodInput(offer))
      finish(instance)
    }
    for name in ["create", "start", "stop"] {
      let times = plugin.times(of: name).sorted()
      guard !times.isEmpty else { continue }
      // The median rather than the maximum: the machine may have been busy.
      let median = times[times.count / 2]
      if median > .milliseconds(10) {
        problem(
          "\(name) took \(median.wholeMilliseconds) ms (median of \(times.count)); it must return at once, within "
            + "10 ms"
        )
      }
    }
    judge("destroy", plugin)
  }

  func clock() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    let instance = try instance(plugin, offer)
    instance.start(goodInput(offer))
    let day: Int64 = 86_400_000_000_000
    for (name, jump) in [
      ("a minute ahead", day / 1440), ("a day ahead", day), ("400 days ahead", 400 * day), ("a day back", -day),
      ("right again", 0),
    ] {
      doing("set the clock: \(name)")
      plugin.host.setClock(ahead: jump)
      sleep(.milliseconds(20))
    }
    doing("stop")
    finish(instance)
  }
}
