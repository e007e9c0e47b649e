/// The version of the tool, which is stored with every run.
enum Version {
  static let current = "0.1.0"
}
