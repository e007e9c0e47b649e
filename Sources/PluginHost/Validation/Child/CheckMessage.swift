import Values

/// A message from the process of a check to the validator: one JSON object per line.
enum CheckMessage {
  /// The next step, for the report of a crash.
  case doing(String)
  /// The plugin and its offers; sent once.
  case plugin(id: String, offers: [String])
  case result(PluginCheckResult.Outcome, note: String)

  var json: JSONValue {
    switch self {
    case .doing(let text): .object(["doing": .string(text)])
    case .plugin(let id, let offers): .object(["plugin": .string(id), "offers": .array(offers.map { .string($0) })])
    case .result(.passed, let note): .object(["passed": true, "note": .string(note)])
    case .result(.failed(let problems), let note):
      .object(["failed": .array(problems.map { .string($0) }), "note": .string(note)])
    case .result(.skipped(let reason), let note): .object(["skipped": .string(reason), "note": .string(note)])
    }
  }

  init?(_ json: JSONValue) {
    let note = json["note"]?.stringValue ?? ""
    if let text = json["doing"]?.stringValue {
      self = .doing(text)
    } else if let id = json["plugin"]?.stringValue {
      self = .plugin(id: id, offers: json["offers"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    } else if let problems = json["failed"]?.arrayValue {
      self = .result(.failed(problems.compactMap(\.stringValue)), note: note)
    } else if let reason = json["skipped"]?.stringValue {
      self = .result(.skipped(reason), note: note)
    } else if json["passed"] != nil {
      self = .result(.passed, note: note)
    } else {
      return nil
    }
  }
}
