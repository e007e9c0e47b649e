import CPluginKit
import CalendarPlugin
import CronPlugin
import FileWatchPlugin
import IntervalPlugin
import LinesPlugin
import NetworkPlugin
import PluginKit
import SystemPlugin

// # StandardPlugins
//
// The library `libStandardPlugins.so`: the code of the standard plugins, with the Swift runtime once instead of once in each. Every plugin of the release
// build is a file of its own that keeps the contract, `plugin.c`, and calls these functions. They must not change: during an upgrade, a running
// host may load the file of one version and the library of another.

/// The entry point that PluginKit refers to. Nothing calls it: each file registers its own plugin.
@main enum StandardPlugins {
  static func main() {}

  static let all: [any Plugin.Type] = [
    CalendarConditions.self, Cron.self, FileWatch.self, Interval.self, Lines.self, Network.self, SystemConditions.self,
  ]

  static func runtime(_ plugin: UnsafeRawPointer) -> PluginRuntime {
    Unmanaged<PluginRuntime>.fromOpaque(plugin).takeUnretainedValue()
  }
}

/// Returns the plugin called `id`, which lives as long as the process, or nil if there is none.
@_cdecl("penstock_standard_plugin")
public func makePlugin(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? {
  let id = String(cString: id)
  guard let plugin = StandardPlugins.all.first(where: { $0.id == id }) else { return nil }
  return UnsafeRawPointer(Unmanaged.passRetained(PluginRuntime(plugin)).toOpaque())
}

/// Returns the description of a plugin, which is never freed.
@_cdecl("penstock_standard_describe")
public func describe(_ plugin: UnsafeRawPointer) -> penstock_text { StandardPlugins.runtime(plugin).describedText() }

/// Opens a plugin.
@_cdecl("penstock_standard_open")
public func open(_ plugin: UnsafeRawPointer, _ host: UnsafePointer<penstock_host>) -> penstock_status {
  StandardPlugins.runtime(plugin).open(host)
}

/// Closes a plugin.
@_cdecl("penstock_standard_close")
public func close(_ plugin: UnsafeRawPointer) { StandardPlugins.runtime(plugin).close() }

/// Creates an instance of an operation (0), a controller (1) or a specification (2).
@_cdecl("penstock_standard_create")
public func create(
  _ plugin: UnsafeRawPointer, _ kind: Int32, _ id: penstock_id, _ offer: penstock_text, _ settings: penstock_text,
  _ instance: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> penstock_status {
  let kind: Offer.Kind = kind == 0 ? .operation : kind == 1 ? .controller : .specification
  return StandardPlugins.runtime(plugin).create(kind, id, offer: offer, settings: settings, instance)
}

/// Returns the functions of instances: the table of a capability, whose `create` is not for use.
@_cdecl("penstock_standard_functions")
public func functions(_ capability: penstock_text) -> UnsafeRawPointer? {
  PluginEntry.functions.capability?(capability)
}
