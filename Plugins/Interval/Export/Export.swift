import IntervalPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = Interval }
