import PluginHost

extension DiagnosticTable {
  static let plugins = uses + objects

  /// Errors in how a pipeline file uses a plugin.
  private static let uses = [
    DiagnosticRow(
      PluginError.Code.notFound, "No plugin of this name is found.",
      """
      operations:
        - name: count
          uses: text.count
      """,
      fix:
        "Correct the name, install the plugin, or give its path under `plugins`; `penstock plugins list` shows the installed plugins."
    ),
    DiagnosticRow(
      PluginError.Code.noSuchOffer, "The plugin offers nothing of this name and kind.",
      """
      controllers:
        - uses: http.event
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Use the suggested name; `penstock plugins inspect PLUGIN` lists what a plugin offers."),
    DiagnosticRow(
      DiagnosticCode.wrongKind, "The plugin offers something of a different kind under this name.",
      """
      operations:
        - name: listen
          uses: http.events
          with: { url: "https://example.org/feed" }
      """,
      fix: "Move it to where the message says: operations, `controllers` or `specifications`."),
    DiagnosticRow(
      PluginSettingProblem.Code.unknown, "The plugin has no setting of this name.",
      """
      controllers:
        - uses: http.events
          with: { url: "https://example.org/feed", evnts: [release] }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Use the suggested name."),
    DiagnosticRow(
      PluginSettingProblem.Code.missing, "A setting that the plugin needs is missing.",
      """
      controllers:
        - uses: http.events
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Add it under `with`."),
    DiagnosticRow(
      PluginSettingProblem.Code.invalid,
      "The value of a setting is not of the setting's type, or not one of its values.",
      """
      controllers:
        - uses: http.events
          with: { url: "https://example.org/feed", silence: long }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Write a value of the type in the message."),
    DiagnosticRow(
      PluginError.Code.settings, "The plugin refuses a setting whose value is of the right type.",
      """
      controllers:
        - uses: http.events
          with: { url: a feed }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Change the setting as the message says. Most plugins use a code of their own for this."),
    DiagnosticRow(
      DiagnosticCode.invalidHash, "`sha256` of a plugin is not 64 lowercase hexadecimal digits.",
      """
      plugins:
        lines: { path: lines.so, sha256: 12ab }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Copy the hash that `penstock plugins inspect FILE` prints."),
    DiagnosticRow(
      DiagnosticCode.unusedPlugin, "Nothing uses a plugin that the file declares.",
      """
      plugins: { lines: ./lines.so }
      operations:
        - { name: hello, run: echo hello }
      """,
      fix: "Remove the entry, or use the plugin."),
  ]

  /// Errors in a plugin that a pipeline file uses.
  private static let objects = [
    DiagnosticRow(
      PluginError.Code.ambiguous, "Two files offer the plugin.",
      when: "two files of one plugin in the directories that are searched for plugins.",
      fix: "Remove one of the files, or give the path under `plugins`."),
    DiagnosticRow(
      PluginError.Code.unreadable, "The file of the plugin cannot be read.",
      when: "a path under `plugins` to a file that does not exist or that you are not allowed to read.",
      fix: "Correct the path or the permissions."),
    DiagnosticRow(
      PluginError.Code.notASharedObject, "The file is not a shared object, or a damaged one.",
      when: "a path under `plugins` to a text file.",
      fix: "Name the shared object, or copy it again."),
    DiagnosticRow(
      PluginError.Code.wrongArchitecture, "The plugin is for another kind of processor or system.",
      when: "a plugin for ARM on an x86 computer.",
      fix: "Build the plugin for this computer."),
    DiagnosticRow(
      PluginError.Code.noEntry, "The shared object is not a plugin: it does not export `penstock_plugin`.",
      when: "a path under `plugins` to an ordinary library.",
      fix: "Name a plugin, or export its entry; see [writing plugins](writing-plugins.md)."),
    DiagnosticRow(
      PluginError.Code.notLoadable, "The dynamic linker refuses the plugin.",
      when: "a plugin that needs a library which is not installed.",
      fix: "Install the library that the message names."),
    DiagnosticRow(
      PluginError.Code.versionMismatch, "The plugin speaks another version of the contract.",
      when: "a plugin that was built for another major version of Penstock's plugin contract.",
      fix: "Build the plugin against this version's header, or use another version of it."),
    DiagnosticRow(
      PluginError.Code.malformed, "What the plugin says about itself is not what the contract asks for.",
      when: "a plugin whose description lacks its id.",
      fix: "Report it to its author; `penstock plugins check FILE` finds such mistakes."),
    DiagnosticRow(
      PluginError.Code.writableByOthers, "Others than you and root can write the file, or a directory above it.",
      when: "a plugin in a directory that every user can write to.",
      fix: "Remove the permission: `chmod go-w`."),
    DiagnosticRow(
      PluginError.Code.hashMismatch, "The file is not the one that is pinned.",
      when: "a plugin that was built again after its hash was written down.",
      fix: "If the change is intended, write the new hash; otherwise find out who changed the file."),
    DiagnosticRow(
      PluginError.Code.lock, "The file of the pins, `plugins.lock`, cannot be used.",
      when: "a `plugins.lock` that is not what `penstock plugins add` or `verify --write` writes.",
      fix: "Correct it, or remove it and write it again."),
    DiagnosticRow(
      PluginError.Code.openFailed, "The plugin reports that it cannot start.",
      when: "a plugin that refuses to open.",
      fix: "The message contains the plugin's own explanation."),
    DiagnosticRow(
      PluginError.Code.crashed, "The plugin ended its process while it was asked.",
      when: "a plugin that crashes while it is loaded.",
      fix: "Report it to its author; `penstock plugins check FILE` shows more."),
    DiagnosticRow(
      PluginError.Code.childHost, "The process that the plugin is to run in could not be started.",
      when: "a check while the system allows no more processes.",
      fix: "Raise the limit, or check again later."),
    DiagnosticRow(
      PluginError.Code.unresponsive, "The plugin did not answer in time.",
      when: "a plugin that waits for something while it is loaded.",
      fix: "Report it to its author; `penstock plugins check FILE` shows which call took too long."),
  ]
}
