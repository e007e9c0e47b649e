/// `uses`: an operation of a plugin.
extension PluginUse: ActionKind {
  package var keyword: String { "uses" }
  package var isWork: Bool { true }
  // Its settings are shown: a plugin asks for secrets by their names.
  package var secretReach: SecretReach { .plugin(plugin) }
  package var summary: String { offer }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for setting in settings { try body(.setting(setting.name), setting.value) }
  }
}
