// # PluginInstallation
//
// Installs third-party plugins in the user's folder, and maintains `plugins.lock`: the work of `penstock plugins add`, `install` and `remove`.
//
// It must never know a pipeline, a run or the terminal, and never loads a plugin into its own process: the checks and the plugin's description come from
// child processes of `PluginHost`.
//
// A file is fetched into a temporary file in the folder, verified, checked and renamed. Until the rename, nothing that a pipeline could find has
// changed; after it, only the lock is written.
//
// Where a change belongs:
//
// - How a plugin is found, what makes it trusted, and the format of `plugins.lock`: `PluginHost`.
// - Where a plugin may come from: ``InstallationSource`` and ``PluginFetch``.
// - The output, and the question: `Commands/Plugins` of `penstock`.
//
// Read first: ``PluginInstaller``, ``PluginCandidate``, ``InstallationError``.
