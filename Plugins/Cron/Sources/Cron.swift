import PluginKit

/// The standard plugin `cron`: runs a pipeline at the times that a cron line specifies.
package struct Cron: Plugin {
  package static let id = "cron"
  package static let version = "1.0.0"
  package static let summary = "Runs a pipeline at the times of a cron line"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = [
    .controller("cron", "Runs the pipeline at the times of a schedule", CronController.init(settings:))
  ]
}
