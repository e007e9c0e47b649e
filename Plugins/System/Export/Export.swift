import PluginKit
import SystemPlugin

@main struct Export: PluginExport { typealias Exported = SystemConditions }
