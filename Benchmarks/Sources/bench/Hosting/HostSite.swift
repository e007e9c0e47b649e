import FoundationEssentials

/// What a host serves: a folder of pipelines, the file of the host, a workspace, and where its log goes.
struct HostSite: Sendable {
  let directory: String
  var pipelines: String { directory + "/pipelines" }
  var configuration: String { directory + "/host.yaml" }
  var workspace: String { directory + "/workspace" }
  var log: String { directory + "/log" }
  /// Where the commands write that ask something of the host.
  var output: String { directory + "/output" }
  /// The file of the stamps.
  var stamps: String { directory + "/stamps" }

  /// Makes everything in `directory`, which is an absolute path. `keys` are keys of the file of the host, beside those that say where everything is;
  /// `pipelines` has the texts of pipelines, without their names, by these.
  init(_ directory: String, keys: String = "", pipelines: [String: String]) throws {
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory + "/pipelines", withIntermediateDirectories: true)
    // Whatever goes on at the end of a measurement is of no use to anybody.
    let text = "pipelines: ['\(directory)/pipelines']\nworkspace: '\(directory)/workspace'\ndrain: 0s\n" + keys
    try write(text, to: configuration)
    for (name, text) in pipelines { try add(name, text) }
  }

  /// Writes the file of a pipeline.
  func add(_ name: String, _ text: String) throws {
    try write("name: \(name)\n" + text, to: "\(pipelines)/\(name).yaml")
  }
}
