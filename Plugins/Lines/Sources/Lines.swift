import PluginKit

/// The standard plugin `lines`: yields each line that a command or a FIFO writes.
package struct Lines: Plugin {
  package static let id = "lines"
  package static let version = "1.0.0"
  package static let summary = "Starts a run for each line that a command or a FIFO writes"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = [
    .controller("lines", "Yields each line of a command or a FIFO as a state", LinesController.init(settings:))
  ]
}
