import CalendarPlugin
import PluginKit

@main struct Export: PluginExport { typealias Exported = CalendarConditions }
