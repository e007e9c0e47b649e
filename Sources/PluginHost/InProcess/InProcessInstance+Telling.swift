import PluginABI
import Values

/// The functions of the host's tables by which the plugin ends an instance or reports its events.
extension InProcessInstance {
  func complete(_ text: penstock_text) -> PluginStatus {
    let value: JSONValue?
    switch PluginText.json(text) {
    case .success(let json): value = json
    case .failure(let kind): return refuseEnd(kind, .complete, "an invalid result")
    }
    guard offer.offer.kind == .operation else { return end(.success(nil), from: .complete) }
    if let mismatch = offer.offer.result.mismatch(ofResult: value) {
      let failure = PluginFailure(
        code: "result-mismatch", message: "the result of \(connection.name(of: offer)) has the wrong type: \(mismatch)")
      return refuseEnd(.mismatch(mismatch.description), .complete, failure)
    }
    return end(.success(value), from: .complete)
  }

  func fail(_ text: penstock_text) -> PluginStatus {
    switch PluginText.json(text) {
    case .failure(let kind): return refuseEnd(kind, .fail, "an invalid error")
    case .success(let json):
      do throws(PluginFailureProblem) {
        return end(.failure(try PluginFailure(json)), from: .fail)
      } catch {
        return refuseEnd(.noError(error.reason), .fail, "an invalid error")
      }
    }
  }

  func progress(_ text: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .operation else { return refuse(.wrongKind(offer.offer.kind.noun), .progress) }
    switch PluginText.json(text) {
    case .failure(let kind): return refuse(kind, .progress)
    case .success(nil): return refuse(.emptyText, .progress)
    case .success(let value?):
      guard value.objectValue != nil else { return refuse(.noObject, .progress) }
      return tell(.progressed(value))
    }
  }

  func yieldState(_ text: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .controller else { return refuse(.wrongKind(offer.offer.kind.noun), .yieldState) }
    switch PluginText.json(text) {
    case .failure(let kind): return refuse(kind, .yieldState)
    case .success(nil): return refuse(.emptyText, .yieldState)
    case .success(let value?):
      guard let mismatch = offer.offer.states.mismatch(of: value) else {
        return tell(.state(value))
      }
      let failure = PluginFailure(
        code: "result-mismatch", message: "a state of \(connection.name(of: offer)) has the wrong type: \(mismatch)")
      let status = tell(.yielded(.error(failure)))
      return status == .ok ? refuse(.mismatch(mismatch.description), .yieldState) : status
    }
  }

  func yieldError(_ text: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .controller else { return refuse(.wrongKind(offer.offer.kind.noun), .yieldError) }
    switch PluginText.json(text) {
    case .failure(let kind): return refuse(kind, .yieldError)
    case .success(let json):
      do throws(PluginFailureProblem) {
        return tell(.yielded(.error(try PluginFailure(json))))
      } catch {
        return refuse(.noError(error.reason), .yieldError)
      }
    }
  }

  func yieldRerun(_ text: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .controller else { return refuse(.wrongKind(offer.offer.kind.noun), .yieldRerun) }
    switch PluginText.json(text) {
    case .failure(let kind): return refuse(kind, .yieldRerun)
    case .success(let event):
      let event = event ?? [:]
      guard event.objectValue != nil else { return refuse(.noObject, .yieldRerun) }
      if let kind = Self.problem(ofRerun: event) { return refuse(kind, .yieldRerun) }
      return tell(.rerun(event), hasInstant: event["instant"] != nil)
    }
  }

  /// Two reruns for the same instant are one, so an instant that cannot be compared would start a run each time.
  private static func problem(ofRerun event: JSONValue) -> PluginMistake.Kind? {
    guard let instant = event["instant"] else { return nil }
    return ValueType.timestamp.mismatch(of: instant).map { .badMember("instant", $0.description) }
  }

  func yieldReset() -> PluginStatus {
    guard offer.offer.kind == .controller else { return refuse(.wrongKind(offer.offer.kind.noun), .yieldReset) }
    return tell(.yielded(.reset))
  }

  func leaveOut(_ text: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .controller else { return refuse(.wrongKind(offer.offer.kind.noun), .leftOut) }
    switch PluginText.json(text) {
    case .failure(let kind): return refuse(kind, .leftOut)
    case .success(nil): return refuse(.emptyText, .leftOut)
    case .success(let json?):
      guard json.objectValue != nil else { return refuse(.noObject, .leftOut) }
      do throws(PluginLeftOut.Problem) {
        return tell(.leftOut(json), hasInstant: true, weight: try PluginLeftOut.read(json).weight)
      } catch {
        return refuse(.badMember(error.member, error.reason), .leftOut)
      }
    }
  }

  func changed(_ value: Int32, _ reason: penstock_text) -> PluginStatus {
    guard offer.offer.kind == .specification else { return refuse(.wrongKind(offer.offer.kind.noun), .changed) }
    // A value that is not understood satisfies nothing.
    if !(-1...1).contains(value) { _ = refuse(.unknownValue(value), .changed) }
    switch PluginText.string(reason) {
    case .failure(let kind): return refuse(kind, .changed)
    case .success(let reason): return tell(.changed(value == 1 ? true : value == 0 ? false : nil, reason))
    }
  }

  func log(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) -> PluginStatus {
    // A line about the end of an instance, logged after the end, is no longer one of its events but worth keeping.
    if post(.logged(level, message, fields)) != nil { connection.log(level, message, fields, offer) }
    return .ok
  }
}
