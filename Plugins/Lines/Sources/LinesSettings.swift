import PluginKit

/// The settings of `uses: lines`.
struct LinesSettings: PluginSettings {
  /// When to restart a command that has ended.
  enum Restart: String, CaseIterable, PluginValue {
    case never
    /// After an exit code other than 0, or a signal.
    case failure
    case always
  }

  @Setting("A program and its arguments, without a shell; its standard output is read") var command: [String]?
  @Setting(
    "The path of a FIFO to read instead of a command; a relative path starts from the directory of the pipeline file")
  var fifo: String?
  @Setting("The directory in which the command runs; a relative path starts from the directory of the pipeline file")
  var directory: String?
  @Setting("When to restart a command that has ended") var restart: Restart = .failure
  @Setting("How long to wait before the first restart; the wait doubles with each further one, up to 1m")
  var pause: Duration = .seconds(1)
  @Setting("The maximum length of a line; longer lines are truncated") var longest: ByteCount = 65_536
  @Setting("Whether blank lines are skipped") var skipEmpty: Bool = true
  @Setting("How long the command may take to end after SIGTERM before it gets SIGKILL") var grace: Duration = .seconds(
    5)

  func validate() throws {
    func refuse(_ message: String) -> PluginProblem { PluginProblem("invalid-settings", message) }
    func refuse(_ setting: String, _ message: String) -> PluginProblem {
      PluginProblem("invalid-settings", setting: setting, message)
    }
    switch (command, fifo) {
    case (nil, nil): throw refuse("either 'command' or 'fifo' is required")
    case (.some, .some): throw refuse("'command' and 'fifo' cannot be combined; use two controllers")
    case (.some(let command), nil):
      guard let program = command.first, !program.isEmpty else {
        throw refuse("command", "the list must begin with a program")
      }
      guard !command.contains(where: { $0.utf8.contains(0) }) else {
        throw refuse("command", "no part of it can contain a NUL character")
      }
    case (nil, .some(let path)):
      guard !path.isEmpty, !path.utf8.contains(0) else {
        throw refuse("fifo", "\(path.isEmpty ? "the path is empty" : "a path cannot contain a NUL character")")
      }
    }
    guard (1...1_048_576).contains(longest.bytes) else {
      throw refuse("longest", "\(longest) is not between 1B and 1MiB")
    }
  }
}
