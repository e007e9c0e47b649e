import Values

/// The strict host's state of one instance.
struct StrictInstance {
  enum Phase {
    case creating, created, starting, started
    /// Its destroy has been called and has not returned.
    case ending
  }

  enum End: Equatable {
    case completed(JSONValue?)
    case failed(code: String, message: String)
    /// The end was reported in an invalid way, so the host ended the instance.
    case refused
  }

  let offer: PluginOffer
  var phase = Phase.creating
  var isBusy = false
  private(set) var end: End?
  /// The last value that a specification reported; nil before the first.
  private(set) var value: Int32?
  /// The number of states and reruns that a controller yielded.
  private(set) var yields = 0

  /// The values that `penstock.values/1` reads.
  var values = ReadableValues()

  init(offer: PluginOffer, settings: JSONValue) {
    self.offer = offer
    values.settings = settings
  }

  mutating func take(_ what: Told, _ payload: ToldText) {
    switch what {
    case .complete: end = .completed(payload.value)
    case .fail:
      end = .failed(
        code: payload.value?["code"]?.stringValue ?? "", message: payload.value?["message"]?.stringValue ?? "")
    case .changed(let value): self.value = value
    case .state, .rerun: yields += 1
    case .progress, .error, .reset, .leftOut: break
    }
  }

  /// Ends it because the reported end was refused.
  mutating func refuseEnd() { end = .refused }

  /// Returns the rule that a call of this kind breaks at this moment; nil if it breaks none.
  func objection(to what: Told) -> String? {
    if let kind = what.kind, kind != offer.kind { return "it called \(what.name) for \(offer.kind.withArticle)" }
    if what.isEnd, let end, end != .refused { return "an instance ended twice: \(what.name) was called after its end" }
    if phase == .created || (phase == .creating && what.name != "fail") {
      return "it called \(what.name) before the instance was started"
    }
    return nil
  }

  /// Returns what is wrong with the reported value; nil if it is valid.
  func objection(toValueOf what: Told, _ payload: ToldText) -> String? {
    if let problem = payload.problem { return "it called \(what.name) with \(problem)" }
    switch what {
    case .complete: return objection(toResult: payload)
    case .fail, .error: return objection(toError: payload, what)
    case .progress: return objection(toProgress: payload)
    case .state: return objection(payload, is: offer.states, "yield_state")
    case .rerun: return objection(toEvent: payload)
    case .reset: return nil
    case .leftOut: return objection(toInstants: payload)
    case .changed(let value):
      if !(-1...1).contains(value) { return "it called changed with the value \(value), which is not 1, 0 or -1" }
      if payload.text.unicodeScalars.contains(where: { $0.value < 32 }) {
        return "it called changed with a reason of more than one line"
      }
      return nil
    }
  }

  private func objection(toResult payload: ToldText) -> String? {
    guard offer.kind == .operation else {
      return payload.isEmpty ? nil : "it called complete with a result for \(offer.kind.withArticle), which has none"
    }
    if offer.result == .none {
      return payload.isEmpty ? nil : "it completed with a result, although its description declares none"
    }
    if payload.isEmpty {
      return offer.result == .json
        ? nil : "it completed without a result, although its description declares \(offer.result)"
    }
    return objection(payload, is: offer.result, "complete")
  }

  private func objection(_ payload: ToldText, is type: ValueType, _ function: String) -> String? {
    guard let value = payload.value else { return "it called \(function) without a value" }
    guard let mismatch = type.mismatch(of: value) else { return nil }
    return "it called \(function) with a value that does not match its description: \(mismatch)"
  }

  private func objection(toError payload: ToldText, _ what: Told) -> String? {
    guard let value = payload.value, value.objectValue != nil else { return "it called \(what.name) without an object" }
    guard let code = value["code"]?.stringValue, Self.isCode(code) else {
      return "it called \(what.name) without a code of the form [a-z][a-z0-9-]*"
    }
    guard let message = value["message"]?.stringValue, !message.isEmpty else {
      return "it called \(what.name) with the code '\(code)' and no message"
    }
    if let delay = value["retry_after"], (delay.doubleValue ?? -1) < 0 {
      return "it called \(what.name) with a retry_after that is not a number of seconds"
    }
    return nil
  }

  private func objection(toProgress payload: ToldText) -> String? {
    guard let value = payload.value, value.objectValue != nil else { return "it called progress without an object" }
    if let fraction = value["fraction"], !(0...1).contains(fraction.doubleValue ?? -1) {
      return "it called progress with a fraction that is not from 0 to 1"
    }
    if let message = value["message"], message.stringValue == nil {
      return "it called progress with a message that is not a string"
    }
    return nil
  }

  private func objection(toEvent payload: ToldText) -> String? {
    guard let value = payload.value, value.objectValue != nil else { return "it called yield_rerun without an object" }
    if let reason = value["reason"], reason.stringValue == nil {
      return "it called yield_rerun with a reason that is not a string"
    }
    if let instant = value["instant"], let mismatch = ValueType.timestamp.mismatch(of: instant) {
      return "it called yield_rerun with an invalid instant: \(mismatch)"
    }
    return nil
  }

  private func objection(toInstants payload: ToldText) -> String? {
    guard let value = payload.value, value.objectValue != nil else { return "it called left_out without an object" }
    do throws(PluginLeftOut.Problem) {
      _ = try PluginLeftOut.read(value)
      return nil
    } catch {
      return "it called left_out with an invalid \"\(error.member)\": \(error.reason)"
    }
  }

  private static func isCode(_ code: String) -> Bool {
    guard let first = code.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return code.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
  }
}

extension PluginOffer.Kind {
  /// `an operation`.
  var withArticle: String { self == .operation ? "an operation" : "a \(rawValue)" }
}
