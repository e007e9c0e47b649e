import PluginKit

/// The standard plugin `interval`: runs a pipeline repeatedly at equal distances in time.
package struct Interval: Plugin {
  package static let id = "interval"
  package static let version = "1.0.0"
  package static let summary = "Runs a pipeline at regular intervals"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = [
    .controller("interval", "Runs the pipeline at regular intervals", IntervalController.init(settings:))
  ]
}
