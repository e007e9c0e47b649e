import PluginKit

/// The standard plugin `system`: specifications about the computer for pipelines to wait for.
package struct SystemConditions: Plugin {
  package static let id = "system"
  package static let version = "1.0.0"
  package static let summary = "Load, memory, disk space and power of this computer"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = offers(of: SystemFiles())

  /// Returns the offers, based on these files.
  static func offers(of files: SystemFiles) -> [Offer] {
    [
      .specification("system.load-below", "The load is below a limit") { (settings: LoadBelowSettings) in
        SampledSpecification(name: "load-below", every: settings.interval) { _ in files.load(settings) }
      },
      .specification("system.memory-available", "There is enough memory") { (settings: MemoryAvailableSettings) in
        SampledSpecification(name: "memory-available", every: settings.interval, alsoOn: files.memoryPressure) { _ in
          files.memory(settings)
        }
      },
      .specification("system.disk-free", "There is enough space on a disk") { (settings: DiskFreeSettings) in
        SampledSpecification(name: "disk-free", every: settings.interval) { context in
          files.disk(settings, directory: context.pluginInput.directory)
        }
      },
      .specification("system.on-ac-power", "The computer does not run on its battery") { (settings: PowerSettings) in
        SampledSpecification(name: "on-ac-power", every: settings.interval) { _ in files.power() }
      },
    ]
  }
}
