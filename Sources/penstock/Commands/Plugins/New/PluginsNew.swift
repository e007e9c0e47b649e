import ArgumentParser
import Glibc
import PipelineLanguage
import PluginHost
import Values

struct PluginsNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a small plugin to start from, with a test",
    discussion: """
      Creates a directory with the sources of a plugin in Swift, C, C++ or Rust, a Makefile, and a pipeline to \
      try it in. A plugin in C, C++ or Rust needs only a compiler; one in Swift needs a checkout of Penstock, \
      for its PluginKit. An existing directory is never changed.

        penstock plugins new words --language swift
        penstock plugins new words --language c --directory plugins/words
      """)

  @Argument(help: ArgumentHelp("The name of the plugin: its id in pipeline files", valueName: "name"))
  var name: String
  @Option(help: "The programming language: swift, c, cpp or rust") var language: PluginScaffold.Language
  @Option(
    help: ArgumentHelp("The directory to create (default: the name)", valueName: "directory"), completion: .directory)
  var directory: String?
  @Option(
    help: ArgumentHelp(
      "For Swift, a checkout of Penstock (default: the one that this program was built in)", valueName: "directory"),
    completion: .directory)
  var penstock: String?
  @OptionGroup var shared: SharedOptions

  func run() throws {
    guard PluginScaffold.isName(name) else {
      throw CommandFailure(
        "'\(name)' cannot be the name of a plugin: it must begin with a letter from a to z, followed by such letters, "
          + "digits or '-', with at most 64 characters in all")
    }
    // A plugin id must be unique: an existing plugin would prevent the new one from being used.
    let (files, _) = PluginFinder(directories: PluginDirectory.standard()).all()
    if let other = files.first(where: { $0.id == name }) {
      throw CommandFailure("there is already a plugin '\(name)', \(other.path); choose another name")
    }
    let checkout = try language == .swift ? findCheckout() : nil
    let scaffold = PluginScaffold(name: name, language: language, checkout: checkout)
    let directory = directory ?? name
    try scaffold.write(to: directory)
    var members: [(String, JSONValue)] = [
      ("directory", .string(directory)), ("files", .array(scaffold.files.map { .string($0.path) })),
    ]
    if let checkout { members.append(("penstock", .string(checkout))) }
    shared.output.confirm(JSONValue(members: members)) { TextOutput.standard.write(next(directory)) }
  }

  /// Returns the given checkout, or the one that this program was built in; nil if there is none.
  private func findCheckout() throws -> String? {
    guard let penstock else { return PluginScaffold.checkout(above: OwnExecutable.path) }
    guard let path = PluginScaffold.resolved(penstock), PluginScaffold.isCheckout(path) else {
      throw CommandFailure(
        "'\(penstock)' is not a checkout of Penstock: it does not contain Package.swift and Sources/PluginKit")
    }
    return path
  }

  /// Whether a shell finds this program by its name.
  private static var isInPath: Bool {
    guard let path = getenv("PATH"), let own = PluginScaffold.resolved(OwnExecutable.path) else { return false }
    let files: [String] = String(cString: path).split(separator: ":").map { "\($0)/penstock" }
    let found = files.first { access($0, X_OK) == 0 }
    return found.flatMap(PluginScaffold.resolved) == own
  }

  private func next(_ directory: String) -> String {
    let place = ShellText.quoted(directory)
    let own = PluginScaffold.resolved(OwnExecutable.path) ?? "penstock"
    let variable = Self.isInPath ? "" : " PENSTOCK=\(ShellText.quoted(own))"
    switch language {
    case .swift where PluginScaffold.checkout(above: OwnExecutable.path) == nil && penstock == nil:
      return """
        Wrote \(TerminalText.visible(directory)).
        It does not build yet: link a checkout of Penstock to \(TerminalText.visible(directory))/\(PluginScaffold.dependency).

        """
    case .swift, .c, .cpp, .rust:
      return """
        Wrote \(TerminalText.visible(directory)). Now try:
          make -C \(place)
          make -C \(place) test\(variable)
          make -C \(place) try\(variable)

        """
    }
  }
}

extension PluginScaffold.Language: ExpressibleByArgument {}
