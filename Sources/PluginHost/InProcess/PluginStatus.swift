/// The outcome of a call between host and plugin: `penstock_status`.
package enum PluginStatus: Int32, Sendable, Hashable {
  case ok, failed, invalid, ended, unknown, tooLarge, unavailable, denied, full

  /// Creates a status from its number; a number that this version does not list is a failure.
  init(_ number: Int32) { self = PluginStatus(rawValue: number) ?? .failed }

  init(_ error: PluginAccessError) {
    switch error {
    case .denied: self = .denied
    case .unknown: self = .unknown
    case .unavailable: self = .unavailable
    }
  }
}
