import PipelineLanguage

/// The state of the folders that a host serves: a folder that is gone serves nothing, and a folder that cannot be searched keeps everything as it was.
struct FolderFindings {
  /// The named paths that have been folders.
  private var roots: Set<String> = []
  /// The folders that the latest search could read.
  private var searched: Set<String> = []
  /// Why it could not search other folders.
  private var unknown: [String: String] = [:]
  /// The named paths that do not exist, or are no longer folders.
  private var gone: [String: String] = [:]
  /// The paths that are named like pipeline files but are not regular files.
  private var leftOut: [String: String] = [:]

  /// The maximum number of folders in a message; there may be a thousand folders in one that cannot be read.
  private static let most = 20

  /// The problems as sentences, always in the same order.
  var sentences: [String] {
    let all = [unknown, gone, leftOut].flatMap { $0.map { ($0.key, $0.value) } }.sorted { $0 < $1 }.map(\.1)
    return all.count > Self.most ? all.prefix(Self.most) + ["and \(all.count - Self.most) more"] : all
  }

  /// Whether a named path should be a folder but is not.
  func isGone(_ path: String) -> Bool { gone[path] != nil }

  /// Returns why the folder of a file, or a folder above it, cannot be searched; nil if it can.
  func problem(above file: String) -> String? {
    unknown.first { folder, _ in file == folder || file.hasPrefix(folder + "/") }?.value
  }

  /// Takes the findings of a search, and returns the changes.
  mutating func take(_ found: PipelineFiles, of paths: [String]) -> [PipelineCatalog.Notice] {
    let former = self
    roots.formUnion(paths.filter { found.given[$0] == .folder })
    searched = Set(found.folders)
    unknown = Dictionary(
      found.problems.map {
        ($0.path, "cannot search '\($0.path)': \($0.reason); its pipelines stay in effect as last loaded")
      }
    ) { first, _ in first }
    leftOut = Dictionary(found.leftOut.map { ($0.path, "'\($0.path)' \($0.reason); ignoring it") }) { first, _ in
      first
    }
    gone = [:]
    for path in paths {
      switch found.given[path] {
      case .missing where roots.contains(path) || !PipelineFiles.isNamedLikeOne(path):
        gone[path] = "the folder '\(path)' does not exist; its pipelines will be served once it does"
      case .file where roots.contains(path):
        gone[path] = "'\(path)' is no longer a folder; its pipelines will be served once it is one again"
      default: break
      }
    }
    return differences(from: former, paths)
  }

  private func differences(from former: FolderFindings, _ paths: [String]) -> [PipelineCatalog.Notice] {
    func notice(_ isProblem: Bool, _ message: String) -> PipelineCatalog.Notice {
      PipelineCatalog.Notice(isProblem: isProblem, message: message, pipeline: "")
    }
    var notices: [PipelineCatalog.Notice] = []
    for (path, sentence) in leftOut.sorted(by: { $0.key < $1.key }) where former.leftOut[path] != sentence {
      notices.append(notice(true, sentence))
    }
    let now = unknown.merging(gone) { first, _ in first }
    let before = former.unknown.merging(former.gone) { first, _ in first }
    for (path, sentence) in now.sorted(by: { $0.key < $1.key }) where before[path] != sentence {
      notices.append(notice(true, sentence))
    }
    for path in before.keys.sorted() where now[path] == nil && searched.contains(path) {
      notices.append(notice(false, "'\(path)' can be searched again"))
    }
    // A path that a host's file no longer names is not missing.
    let lost = former.searched.subtracting(searched).filter { folder in
      now[folder] == nil && problem(above: folder) == nil && paths.contains { folder.hasPrefix($0 + "/") }
    }
    for folder in lost.sorted() where !lost.contains(where: { folder.hasPrefix($0 + "/") }) {
      guard !gone.keys.contains(where: { folder.hasPrefix($0 + "/") }) else { continue }
      notices.append(notice(false, "the folder '\(folder)' was removed; its pipelines are no longer served"))
    }
    return notices
  }
}
