import CronPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = Cron }
