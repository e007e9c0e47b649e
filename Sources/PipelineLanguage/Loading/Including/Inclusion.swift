import OperatingSystem

/// The files that a pipeline file includes, directly or indirectly: reads each once, and joins their contents with the nodes of the pipeline.
///
/// Nearer definitions take precedence: those of the pipeline over those of included files, a later file over an earlier one, and a file over those that
/// it includes. A template extends templates visible to its own file, regardless of others with the same name.
struct Inclusion {
  /// The maximum number of files that a pipeline may include.
  static let maximumFiles = 100
  /// The maximum depth of includes.
  static let maximumDepth = 20

  /// The pipeline's file or an included file.
  struct File {
    var path: String
    var text: SourceText
    /// Its nodes, whose origin is the position of the file; nil if it could not be read.
    var root: YAMLNode?
    /// The positions of the files whose templates it can use, in ascending precedence, with itself last.
    var order: [Int] = []
  }

  let reader: DocumentReader
  /// Returns the text of the file at an absolute path; the second path is for messages.
  let fetch: (_ absolute: String, _ shown: String) -> Result<SourceText, PipelineFile.Failure>
  /// The pipeline's own file, followed by the others in the order in which they were first named.
  private(set) var files: [File] = []
  private var positions: [String: Int] = [:]
  private var chain: [Int] = []
  private var size = 0
  private var hasReportedLimit = false

  init(
    reader: DocumentReader, fetch: @escaping (String, String) -> Result<SourceText, PipelineFile.Failure>
  ) {
    self.reader = reader
    self.fetch = fetch
  }

  /// The texts of the included files, by absolute path.
  var texts: [String: String] {
    Dictionary(files.dropFirst().map { ($0.path, $0.text.text) }) { first, _ in first }
  }

  /// Returns the pipeline with its included files: `env`, `defaults` and `specifications` are joined, and operations are expanded with their templates.
  ///
  /// - Parameters:
  ///   - root: The nodes of the pipeline.
  ///   - path: The absolute path of its file.
  /// - Returns: The nodes; those of included files have their own origins. Without `include` and `templates`, `root` is unchanged.
  mutating func joined(_ root: YAMLNode, path: String) -> YAMLNode {
    let names = [PipelineKey.include.rawValue, PipelineKey.templates.rawValue]
    guard let entries = root.entries, entries.contains(where: { names.contains($0.name) }) else { return root }
    readAll(from: root, path: path)
    var all = entries
    for row in IncludedKey.joined {
      let values = files[0].order.compactMap { position in
        files[position].root?.entries?.first { $0.name == row.key }
      }
      guard let last = values.last else { continue }
      var count = 0
      let value = values.dropFirst().reduce(values[0].value) { value, entry in
        value.joined(with: entry.value, as: row.form, count: &count)
      }
      let entry = YAMLEntry(key: last.key, value: value)
      if let place = all.firstIndex(where: { $0.name == row.key }) { all[place] = entry } else { all.append(entry) }
    }
    let whole = root.with(all)
    reader.declareSpecifications(whole)
    checkIncluded()
    return TemplateUse(files: files, reader: reader).expanded(whole)
  }

  /// Checks a file that is meant to be included rather than run. Returns the number of its templates.
  mutating func checkAlone(_ root: YAMLNode, path: String) -> Int {
    readAll(from: root, path: path)
    readKeys(of: root)
    reader.declareSpecifications(root)
    checkIncluded()
    check(files[0])
    _ = TemplateUse(files: files, reader: reader)
    return root[IncludedKey.templates.rawValue]?.entries?.count ?? 0
  }

  /// Checks each included file by itself.
  private func checkIncluded() {
    for file in files.dropFirst() { check(file) }
  }

  private func check(_ file: File) {
    for entry in file.root?.entries ?? [] {
      if let key = IncludedKey(rawValue: entry.name) { reader.checkIncluded(key, entry.value) }
    }
  }

  private func readKeys(of root: YAMLNode) {
    let misplaced = (root.entries ?? []).filter { IncludedKey.isOnlyForPipelines($0.name) }
    for entry in misplaced {
      let isPipeline = entry.name == PipelineKey.operations.rawValue
      reader.error(
        .misplacedKey, "'\(entry.name)' is not allowed in an included file", at: entry.key.range,
        fix: isPipeline
          ? "run the file with 'pipeline: FILE', or move the shared parts into a separate file"
          : "move it to the pipeline")
    }
    let isIgnored = { name in PipelineKey.isOwn(name) || IncludedKey.isOnlyForPipelines(name) }
    reader.readKeys(of: root, IncludedKey.table, except: isIgnored) { _, _, _ in }
  }

  // MARK: - Files

  private mutating func readAll(from root: YAMLNode, path: String) {
    files = [File(path: path, text: reader.source, root: root)]
    positions = [path: 0]
    readIncludes(of: 0)
  }

  /// Reads the files that a file includes, and determines which templates it can use.
  private mutating func readIncludes(of position: Int) {
    chain.append(position)
    var order: [Int] = []
    if let node = files[position].root?[PipelineKey.include.rawValue] {
      for (path, place) in reader.includedPaths(node) {
        guard let included = file(path, from: position, at: place), !order.contains(included) else { continue }
        order += files[included].order.filter { !order.contains($0) }
      }
    }
    files[position].order = order.filter { $0 != position } + [position]
    _ = chain.popLast()
  }

  /// Returns the position of the file that another one includes as `path`; nil if it cannot be included, which is reported.
  private mutating func file(_ path: String, from position: Int, at place: YAMLNode) -> Int? {
    let shown = PathText.join(PathText.directory(of: files[position].text.path), path)
    let absolute = PathText.absolute(PathText.join(PathText.directory(of: files[position].path), path))
    if let known = positions[absolute] {
      guard let start = chain.firstIndex(of: known) else { return known }
      let steps = (chain[start...].map { files[$0].text.path } + [shown]).joined(separator: " → ")
      reader.error(.recursiveInclude, "the file includes itself: \(steps)", at: place.range)
      return nil
    }
    if chain.count > Self.maximumDepth {
      return refuse("files include each other more than \(Self.maximumDepth) deep", at: place)
    }
    if files.count > Self.maximumFiles {
      return refuse("more than \(Self.maximumFiles) files are included", at: place)
    }
    switch fetch(absolute, shown) {
    case .failure(let failure):
      reader.lacksIncluded = true
      reader.error(failure.code, failure.calling(shown).message, at: place.range)
      return nil
    case .success(let text):
      size += text.text.utf8.count
      guard size <= YAMLReader.maximumSize else {
        return refuse("the included files have more than \(YAMLReader.maximumSize >> 20) MiB together", at: place)
      }
      return add(text, absolute, at: place)
    }
  }

  private mutating func refuse(_ message: String, at place: YAMLNode) -> Int? {
    if !hasReportedLimit { reader.error(.includeLimit, message, at: place.range) }
    hasReportedLimit = true
    return nil
  }

  private mutating func add(_ text: SourceText, _ absolute: String, at place: YAMLNode) -> Int {
    let position = files.count
    let yaml = YAMLReader.read(text)
    let from = reader.origins[Int(place.origin)].text
    var range = place.range
    range.origin = 0
    let note = Diagnostic.Note(message: "it is included here", file: from.path, range: range)
    for var finding in yaml.diagnostics {
      finding.note = note
      if finding.code == DiagnosticCode.emptyFile.rawValue { finding.fix = "begin with 'templates:' or 'defaults:'" }
      reader.report(finding)
    }
    // Origins of template uses come after those of all files.
    reader.origins.append(NodeOrigin(text: text, note: note))
    var count = 0
    let root = yaml.root?.moved(count: &count) { _ in UInt32(position) }
    files.append(File(path: absolute, text: text, root: root))
    if root == nil { reader.lacksIncluded = true }
    positions[absolute] = position
    if let root {
      readKeys(of: root)
      readIncludes(of: position)
    }
    return position
  }
}
