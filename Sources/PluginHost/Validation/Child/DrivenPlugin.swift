import Glibc
import PluginABI
import Synchronization
import Values

/// A plugin in the process of a check, called directly through the contract's tables.
// @unchecked: the pointers belong to the plugin, are constant, and stay mapped as long as the process lives.
final class DrivenPlugin: @unchecked Sendable {
  let entry: UnsafePointer<penstock_plugin_entry>
  let host: StrictHost
  let description: PluginDescription
  private var tables: [PluginOffer.Kind: penstock_functions] = [:]

  /// The durations of calls, by function. Protected by the host's monitor.
  private var times: [String: [Duration]] = [:]

  init(entry: UnsafePointer<penstock_plugin_entry>, host: StrictHost, description: PluginDescription) {
    self.entry = entry
    self.host = host
    self.description = description
  }

  /// Calls `open`, and requests the tables.
  func open() throws(CheckInterruption) {
    if let open = entry.pointee.open {
      let status = timed("open") { open(host.table) }
      guard status == PENSTOCK_OK else { throw .failed("open returned \(Self.name(ofStatus: status))") }
    }
    for kind in Set(description.offers.map(\.kind)) {
      guard let table = functions(of: kind) else {
        throw .failed("capability returns NULL for \(kind.capability), although an offer is \(kind.withArticle)")
      }
      tables[kind] = ContractTable.copy(table, penstock_functions.self, least: PENSTOCK_FUNCTIONS_SIZE_1_0)
    }
  }

  /// Returns the result of `capability`.
  func functions(of kind: PluginOffer.Kind) -> UnsafeRawPointer? { capability(kind.capability) }

  func capability(_ id: String) -> UnsafeRawPointer? {
    withText(id) { text in entry.pointee.capability.flatMap { $0(text) } }
  }

  /// The plugin's `between` of penstock.instants/1; nil if it has none.
  var between: PluginImage.Between? {
    guard entry.pointee.abi_minor >= 1, let table = capability(PENSTOCK_INSTANTS) else { return nil }
    return ContractTable.copy(table, penstock_instants.self, least: PENSTOCK_INSTANTS_SIZE_1_1)?.between
  }

  func close() {
    guard let close = entry.pointee.close else { return host.pluginIsClosed() }
    timed("close") { close() }
    host.pluginIsClosed()
  }

  // MARK: Instances

  /// The outcome of `create`.
  enum Creation {
    case made(DrivenInstance)
    /// With the code and message, if the plugin reported them.
    case refused(StrictInstance.End?)
  }

  func create(_ offer: PluginOffer, settings: [UInt8]) -> Creation {
    guard let table = tables[offer.kind] else { return .refused(nil) }
    let id = host.begin(offer, settings: settings)
    var pointer: UnsafeMutableRawPointer?
    let status = host.takeTurn(id) {
      withText(offer.id) { offerText in
        withText(settings) { settingsText in
          timed("create") { table.create(id, offerText, settingsText, &pointer) }
        }
      }
    }
    guard status == PENSTOCK_OK else {
      let end = host.instance(id)?.end
      if end == nil {
        host.note("create returned \(Self.name(ofStatus: status)) without calling fail with a reason")
      }
      host.forget(id)
      return .refused(end)
    }
    // A result before the start was noted when it arrived.
    if case .failed = host.instance(id)?.end {
      host.note("create called fail but returned PENSTOCK_OK")
    }
    guard let pointer else {
      host.note("create returned PENSTOCK_OK but left the instance NULL")
      host.forget(id)
      return .refused(nil)
    }
    host.set(id, .created)
    return .made(DrivenInstance(plugin: self, table: table, id: id, pointer: pointer))
  }

  // MARK: Times

  @discardableResult
  func timed<Result>(_ name: String, _ body: () -> Result) -> Result {
    let clock = ContinuousClock()
    let began = clock.now
    let result = body()
    let time = clock.now - began
    host.monitor.locked {
      // Enough for a median.
      if times[name, default: []].count < 1000 { times[name, default: []].append(time) }
    }
    return result
  }

  func times(of name: String) -> [Duration] { host.monitor.locked { times[name] ?? [] } }

  static func name(ofStatus status: Int32) -> String {
    let names = [
      "PENSTOCK_OK", "PENSTOCK_FAILED", "PENSTOCK_INVALID", "PENSTOCK_ENDED", "PENSTOCK_UNKNOWN", "PENSTOCK_TOO_LARGE",
      "PENSTOCK_UNAVAILABLE", "PENSTOCK_DENIED",
    ]
    return names.indices.contains(Int(status)) ? names[Int(status)] : "the status \(status)"
  }
}

/// An instance of a driven plugin.
// @unchecked: the pointer belongs to the plugin and is only passed back.
struct DrivenInstance: @unchecked Sendable {
  let plugin: DrivenPlugin
  let table: penstock_functions
  let id: UInt64
  let pointer: UnsafeMutableRawPointer

  private var host: StrictHost { plugin.host }

  func start(_ input: [UInt8]) {
    host.takeTurn(id) {
      host.starts(id, input: input)
      withText(input) { text in plugin.timed("start") { table.start(pointer, text) } }
      host.set(id, .started)
    }
  }

  func stop(grace: Duration) {
    host.takeTurn(id) {
      plugin.timed("stop") { table.stop(pointer, UInt64(grace.wholeMilliseconds) * 1_000_000) }
    }
  }

  /// Asks for the coming instants.
  func between(_ between: PluginImage.Between, _ question: InstantsQuestion, _ answer: TakenAnswer) -> PluginStatus {
    host.takeTurn(id) {
      withText(question.input.text) { input in
        plugin.timed("between") {
          PluginStatus(
            between(
              pointer, input, question.after, question.until, UInt32(question.limit), TakenAnswer.take,
              Unmanaged.passUnretained(answer).toOpaque()))
        }
      }
    }
  }

  func destroy() {
    host.takeTurn(id) {
      host.endTimers(of: id)
      plugin.timed("destroy") { table.destroy(pointer) }
      host.forget(id)
    }
  }

  var state: StrictInstance? { host.instance(id) }

  /// Waits for its end; returns whether it ended in time.
  func ends(within time: Duration) -> Bool { host.wait(id, atMost: time) { $0.end != nil } }

  /// Waits for the first value of a specification, or its end; returns whether either came in time.
  func tellsValue(within time: Duration) -> Bool { host.wait(id, atMost: time) { $0.value != nil || $0.end != nil } }
}

/// Lends text to a function of the plugin, in separate memory: the byte after the text is poisoned, and the whole text after the call.
func withText<Result>(_ bytes: [UInt8], _ body: (penstock_text) -> Result) -> Result {
  // In separate memory, so that a sanitizer, or the plugin's behaviour, reveals a plugin that reads beyond the end or keeps the pointer.
  let text = GuardedText(bytes)
  defer { FormerTexts.keep(text) }
  return body(text.text)
}

/// The texts lent most recently. They are not freed yet, so that a plugin that has kept one finds the poison rather than newer data.
private enum FormerTexts {
  private static let texts = Mutex<[GuardedText]>([])
  private static let most = 64
  /// Longer texts are freed at once, so that the plugin's memory use can be distinguished from that of these texts.
  private static let longest = 4096

  static func keep(_ text: GuardedText) {
    guard text.text.length <= longest else { return text.free() }
    text.spoil()
    let oldest = texts.withLock { texts -> GuardedText? in
      texts.append(text)
      return texts.count > most ? texts.removeFirst() : nil
    }
    oldest?.free()
  }
}

func withText<Result>(_ text: String, _ body: (penstock_text) -> Result) -> Result {
  withText(Array(text.utf8), body)
}
