import PipelineLanguage

/// Reads a top-level key from the text of a definition, ignoring the rest: it was checked when it was queued.
enum RecordedKey {
  /// Returns the text of the key's value; nil if the definition does not have it.
  static func value(_ key: PipelineKey, in text: String) -> String? {
    guard text.contains(key.rawValue) else { return nil }
    let entries = YAMLReader.read(SourceText(path: "definition", text: text)).root?.entries ?? []
    return entries.first { $0.name == key.rawValue }?.value.text
  }

  /// Returns what happens to a run of the pipeline while another one is active.
  static func overlap(_ text: String) -> PipelineDefinition.Overlap {
    value(.overlap, in: text).flatMap(PipelineDefinition.Overlap.init) ?? .allow
  }

  /// Returns whether one run of the pipeline is active at a time.
  static func isTurn(_ text: String) -> Bool { overlap(text) == .queue }
}
