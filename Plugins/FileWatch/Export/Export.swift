import FileWatchPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = FileWatch }
