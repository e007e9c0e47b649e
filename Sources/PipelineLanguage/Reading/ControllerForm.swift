import Values

/// The form of a controller, for authors who have written another one.
enum ControllerForm {
  /// A complete controller.
  static let example = text(id: "cron")

  /// Returns a controller of this id as it must be written.
  static func text(id: String) -> String {
    switch id {
    case "cron": "write '{uses: cron, with: {schedule: \"0 3 * * *\"}}'"
    case "interval": "write '{uses: interval, with: {every: 5m}}'"
    default: "write '{uses: \(id), with: {…}}'; `penstock plugins inspect \(id)` lists its settings"
    }
  }

  /// Whether a key is neither one of a controller nor nearly one.
  static func isOther(_ key: String) -> Bool {
    ControllerKey(rawValue: key) == nil
      && NearestName.suggestion(for: key, among: ControllerKey.allCases.map(\.rawValue)) == nil
  }

  /// Returns the id that is written as a key, as in `{cron: "0 3 * * *"}`; nil if there is none.
  static func id(of node: YAMLNode) -> String? {
    guard let entry = node.entries?.first, isOther(entry.name), PluginUse.isOfferID(entry.name),
      entry.name != "schedule"
    else { return nil }
    return entry.name
  }

  /// Returns how to write a controller that lacks `uses`.
  static func fix(for node: YAMLNode) -> String { id(of: node).map { text(id: $0) } ?? example }
}
