import PipelineLanguage

/// Finds a key at the top of the text of a definition, whatever else is in it: it was checked when it was queued.
enum RecordedKey {
  /// The text of the key; nil where the definition does not have it.
  static func value(_ key: PipelineKey, in text: String) -> String? {
    guard text.contains(key.rawValue) else { return nil }
    let entries = YAMLReader.read(SourceText(path: "definition", text: text)).root?.entries ?? []
    return entries.first { $0.name == key.rawValue }?.value.text
  }

  /// What becomes of a run of the pipeline while another one goes on.
  static func overlap(_ text: String) -> PipelineDefinition.Overlap {
    value(.overlap, in: text).flatMap(PipelineDefinition.Overlap.init) ?? .allow
  }

  /// Whether one run of the pipeline goes on at a time.
  static func isTurn(_ text: String) -> Bool { overlap(text) == .queue }
}
