/// The version of the programs, which is stored with every run.
package enum Version {
  package static let current = "0.1.0"
}
