import PluginKit

/// The standard plugin `file-watch`: runs a pipeline when files change.
package struct FileWatch: Plugin {
  package static let id = "file-watch"
  package static let version = "1.0.0"
  package static let summary = "Runs a pipeline when files change"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = [
    .controller(
      "file-watch", "Runs the pipeline when files are created, changed, moved or deleted",
      FileWatchController.init(settings:))
  ]
}
