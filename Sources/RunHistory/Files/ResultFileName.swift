/// How files of a run's directory are named where results are expected.
package enum ResultFileName {
  package static let suffix = ".result"

  /// Whether a file stands where a result is expected, or is a copy of one, whose name goes on after the suffix.
  package static func isResult(_ name: String) -> Bool { name.contains(suffix) }
}
