import Workspace

/// A value that a plugin stores for a pipeline under a key.
struct StoredPluginValue: Storable {
  var plugin: String
  var pipeline: String
  var key: String
  var value: String

  static let plugin = Field("plugin", \StoredPluginValue.plugin)
  static let pipeline = Field("pipeline", \StoredPluginValue.pipeline)
  static let key = Field("key", \StoredPluginValue.key)
  static let value = Field("value", \StoredPluginValue.value)
  static let schema = ObjectSchema(
    "plugin_value", StoredPluginValue.init, plugin, pipeline, key, value, key: [plugin, pipeline, key])
}
