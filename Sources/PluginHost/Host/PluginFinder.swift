import Glibc
import Values

/// Finds the shared object of a plugin by its id, without opening or loading it.
public struct PluginFinder: Sendable {
  /// The directories that are searched by id, in order.
  public let directories: [PluginDirectory]
  /// The files that the command line names.
  public let files: [String]

  /// Creates a finder that searches these places.
  public init(directories: [PluginDirectory] = [], files: [String] = []) {
    self.directories = directories
    self.files = files
  }

  /// Creates a finder that searches the places of a host.
  public init(_ configuration: PluginLoader.Configuration) {
    self.init(directories: configuration.directories, files: configuration.files)
  }

  /// Returns the id of the plugin that has the offer `id`: `calendar` for `calendar.time-window`.
  ///
  /// - Parameter id: The id of an offer or a plugin.
  /// - Returns: The id of the plugin.
  public static func plugin(of id: String) -> String { id.split(separator: ".").first.map(String.init) ?? id }

  /// Finds the file of a plugin.
  ///
  /// - Parameter id: The id of the plugin, or of one of its offers.
  /// - Returns: The only file whose name is that of the plugin.
  /// - Throws: `plugin-not-found`, with the places that were searched and a suggestion of the intended name; `plugin-ambiguous` if two different
  ///   files have that name. One file found under two paths counts once.
  public func find(_ id: String) throws(PluginError) -> PluginFile {
    let id = Self.plugin(of: id)
    var found: [PluginFile] = []
    for path in files where PluginFile.id(ofFile: path) == id {
      found.appendUnlessThere(try PluginFile(at: path, origin: .commandLine))
    }
    // A malformed id must not become part of a path.
    if DescriptionReader.NameForm.id.fits(id) {
      for directory in directories {
        for name in PluginFile.names(of: id, isPrefixed: directory.isPrefixed) {
          guard let file = try directory.file(name) else { continue }
          found.appendUnlessThere(file)
        }
      }
    }
    guard let first = found.first else { throw notFound(id) }
    guard found.count == 1 else {
      throw PluginError(
        .ambiguous,
        "two files are named like the plugin \(id.quotedForMessage): \(first.foundPath.quotedForMessage) and "
          + "\(found[1].foundPath.quotedForMessage); remove one of them, or choose one with 'path' under 'plugins' in the pipeline file"
      )
    }
    return first
  }

  /// Returns all files that have the name of a plugin: those of the command line first, then each directory's by name. A file found under two paths
  /// is listed once.
  ///
  /// - Returns: The files, and the reasons why others could not be examined.
  public func all() -> (files: [PluginFile], errors: [PluginError]) {
    var files: [PluginFile] = []
    var errors: [PluginError] = []
    func add(_ file: () throws(PluginError) -> PluginFile?) {
      do throws(PluginError) {
        if let file = try file() { files.appendUnlessThere(file) }
      } catch {
        errors.append(error)
      }
    }
    for path in self.files { add { () throws(PluginError) in try PluginFile(at: path, origin: .commandLine) } }
    for directory in directories {
      switch directory.names() {
      case .success(let names): for name in names { add { () throws(PluginError) in try directory.file(name) } }
      case .failure(let problem) where problem.isMissing: continue
      case .failure(let problem):
        errors.append(
          PluginError(
            .unreadable,
            "cannot search for plugins in \(directory.path.quotedForMessage): \(problem.text); "
              + "check its permissions, or remove it from PENSTOCK_PLUGIN_PATH"))
      }
    }
    return (files, errors)
  }

  private func notFound(_ id: String) -> PluginError {
    var names = Set(files.map(PluginFile.id(ofFile:)))
    var places: [String] = []
    for directory in directories {
      let path = directory.path.quotedForMessage
      switch directory.names() {
      case .success(let found):
        names.formUnion(found.map(PluginFile.id(ofFile:)))
        places.append(path)
      case .failure(let problem): places.append("\(path) (\(problem.text))")
      }
    }
    var place = places.isEmpty ? "there are no directories to search" : "searched \(places.joined(separator: ", "))"
    let named = files.map { "\($0.quotedForMessage) is named like \(PluginFile.id(ofFile: $0).quotedForMessage)" }
    if !named.isEmpty { place += ", and \(named.joined(separator: ", "))" }
    return PluginError(
      .notFound,
      "there is no plugin \(id.quotedForMessage): \(place); \(remedy(id, NearestName.suggestion(for: id, among: names)))"
    )
  }

  private func remedy(_ id: String, _ near: String?) -> String {
    if let near { return "did you mean '\(near.escapedForMessage)'?" }
    guard DescriptionReader.NameForm.id.fits(id) else { return "an id has only lowercase letters, digits and '-'" }
    guard files.isEmpty else {
      // A file on the command line may be the plugin under a different name.
      let names = PluginFile.names(of: id, isPrefixed: false)
      return
        "the file of \(id.quotedForMessage) must be called \(names.dropLast().joined(separator: ", ")) or \(names.last ?? ""),"
        + " or be named with 'path' under 'plugins'"
    }
    return
      "add it with 'penstock plugins add FILE|URL', install what 'plugins.lock' pins with 'penstock plugins install', or name the file with --plugin or under 'plugins'"
  }
}

extension [PluginFile] {
  fileprivate mutating func appendUnlessThere(_ file: PluginFile) {
    guard !contains(where: { $0.identity.isSameFile(as: file.identity) }) else { return }
    append(file)
  }
}
