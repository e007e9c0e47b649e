import LinesPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = Lines }
