import Glibc
import PluginABI

extension CheckContext {
  func open() throws(CheckInterruption) {
    let plugin = try plugin()
    doing("open")
    try plugin.open()
    judge("open", plugin)
  }

  func services() throws(CheckInterruption) {
    let plugin = try plugin(withheld: [
      PENSTOCK_INSTANCE, PENSTOCK_CONTROLLER, PENSTOCK_SPECIFICATION, PENSTOCK_LOG, PENSTOCK_CLOCK, PENSTOCK_VALUES,
    ])
    doing("open with a host that has no services")
    _ = plugin.entry.pointee.open?(plugin.host.table)
  }

  func close() throws(CheckInterruption) {
    let plugin = try plugin()
    doing("open")
    try plugin.open()
    for offer in plugin.description.offers {
      // Another check reports instances that cannot be created.
      guard let instance = try? instance(plugin, offer) else { continue }
      doing("an instance of \(offer.id) before close")
      instance.start(goodInput(offer))
      sleep(.milliseconds(5))
      finish(instance)
    }
    doing("close")
    plugin.close()
    judge("close", plugin)
    doing("nothing, after close")
    sleep(.milliseconds(200))
  }

  func guest() throws(CheckInterruption) {
    let output = PrintedOutput()
    let closed = ProcessPicture.take()
    let (plugin, offer) = try opened()
    // Anything created once for all instances exists after the first one.
    let before = ProcessPicture.take()
    for change in before.changes(since: closed) { problem("\(change) when it was opened") }
    doing("start")
    let instance = try instance(plugin, offer)
    instance.start(goodInput(offer))
    sleep(.milliseconds(20))
    let during = ProcessPicture.take()
    for thread in during.threads.subtracting(before.threads) where ProcessPicture.admitsHostSignals(thread) {
      problem(
        "its thread '\(ProcessPicture.name(ofThread: thread))' does not block the signals that the host waits for: "
          + "block all signals before it is started")
    }
    let inherited = during.descriptors.subtracting(before.descriptors).filter { !Self.isCloseOnExec($0) }.sorted()
    for descriptor in inherited.prefix(5) {
      problem("child processes would inherit its descriptor \(descriptor): open it with O_CLOEXEC")
    }
    if inherited.count > 5 { problem("\(inherited.count - 5) more descriptors would be inherited by child processes") }
    if ProcessPicture.isOutOfDescriptors {
      problem("it uses up all descriptors: nothing in the process can open a file")
    }
    doing("stop")
    finish(instance)
    let after = ProcessPicture.take()
    for change in after.changes(since: before) { problem(change) }
    if let printed = output?.text {
      problem(
        "it wrote to standard output, which belongs to the host: '\(printed)'; call 'log' of penstock.log/1 instead")
    }
    let kept = after.descriptors.subtracting(before.descriptors).count
    if kept > 16 { problem("it leaks \(kept) descriptors of one destroyed instance") }
  }
}

/// Captures standard output from now on in an unnamed file.
private struct PrintedOutput {
  private let file: Int32

  /// Nil if no such file can be created.
  init?() {
    guard let stream = tmpfile() else { return nil }
    file = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 3)
    fclose(stream)
    guard file >= 0, dup2(file, 1) == 1 else { return nil }
  }

  /// The first line of the output; nil if there was none.
  var text: String? {
    fflush(nil)
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
  }
}

extension CheckContext {
  /// Whether child processes do not inherit the descriptor. A descriptor that was closed meanwhile counts too.
  private static func isCloseOnExec(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFD)
    return flags < 0 || flags & FD_CLOEXEC != 0
  }
}
