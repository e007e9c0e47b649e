import PipelineLanguage
import PluginHost

/// A plugin that a run uses, and what its instances may access.
struct PluginInUse: Sendable {
  let plugin: any PipelinePlugin
  let access: PluginAccess
}
