/// The naming of result files in a run's directory.
package enum ResultFileName {
  package static let suffix = ".result"

  /// Whether a file is a result file or a copy of one, whose name continues after the suffix.
  package static func isResult(_ name: String) -> Bool { name.contains(suffix) }
}
