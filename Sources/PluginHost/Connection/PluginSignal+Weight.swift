import Values

extension PluginSignal {
  /// The memory that the waiting signals of one controller may take, in bytes: as many as may wait of the smallest.
  static let mostBytes = 64 << 20

  /// The number of a controller's waiting signals that it counts as: one, and more if it is large, so that large ones take no more memory than many small ones.
  package var weight: Int {
    switch self {
    case .state(let value): Self.weight(of: value, among: PluginOffer.mostWaiting)
    case .rerun(let event):
      Self.weight(
        of: event, among: event["instant"] == nil ? PluginOffer.mostWaiting : PluginOffer.mostWaitingInstants)
    case .leftOut(let told): PluginLeftOut(told)?.weight ?? 1
    case .error, .reset: 1
    }
  }

  private static func weight(of value: JSONValue, among most: Int) -> Int {
    max(1, value.approximateSize / (mostBytes / most))
  }
}

extension JSONValue {
  /// About how many bytes its text has, without creating it.
  fileprivate var approximateSize: Int {
    switch self {
    case .null, .bool, .int, .double: 8
    case .string(let text): text.utf8.count
    case .array(let elements): elements.reduce(8) { $0 + $1.approximateSize }
    case .object(let members): members.reduce(8) { $0 + $1.key.utf8.count + $1.value.approximateSize }
    }
  }
}
