import PluginKit

/// The settings of `uses: file-watch`.
struct FileWatchSettings: PluginSettings {
  @Setting("The file or directory; a relative path starts from the directory of the pipeline file") var path: String
  @Setting(
    "Only files that match one of these, such as *.csv; a pattern with a slash must match the whole path below 'path'")
  var patterns: [String] = []
  @Setting("The kinds of changes: create, modify, move, delete; all of them if it is empty") var events:
    [FileChange.Kind] =
      []
  @Setting("Whether directories below 'path' are also watched") var recursive: Bool = false
  @Setting("How long there must be no change before all changes are reported together") var settle: Duration =
    .milliseconds(
      200)

  func validate() throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PluginProblem("invalid-settings", setting: "path", "it is not a path")
    }
    guard settle >= .zero, settle <= .seconds(3600) else {
      throw PluginProblem(
        "invalid-settings", setting: "settle", "\(DurationNotation.format(settle)) is not between 0s and 1h")
    }
    if patterns.contains("") {
      throw PluginProblem("invalid-settings", setting: "patterns", "an empty pattern matches nothing")
    }
  }
}
