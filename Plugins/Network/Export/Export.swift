import NetworkPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = Network }
