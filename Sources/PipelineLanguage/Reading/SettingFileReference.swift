/// A file of params or variables, as a pipeline file names it.
struct SettingFileReference: Sendable {
  /// The path as written.
  var path: String
  /// Whether the file must exist.
  var isRequired = true
  /// The place of the path.
  var range: SourceRange
}

/// The keys of the long form of a settings file.
enum SettingFileKey: String, CaseIterable, Sendable {
  case path, required

  static let table = KeyTable<SettingFileKey>(
    "a file",
    [
      KeyRow("path", .text, "The path of the file, relative to the directory of the pipeline file.", required: true),
      KeyRow("required", .bool, "Whether a missing file is an error.", default: "true"),
    ])

  /// The form of keys that name such files: one of them, or a list.
  static let form: ValueForm = {
    let file = ValueForm.anyOf([.text, .keys(table.rows)])
    return .anyOf([.text, .keys(table.rows), .list(file, minimum: 1)])
  }()
}

extension DocumentReader {
  /// Reads the files that a key names: a path, a mapping with `path`, or a list of these.
  func settingFiles(_ node: YAMLNode, _ what: String) -> [SettingFileReference] {
    if let items = node.items {
      if items.isEmpty { wrongForm(node, what, needs: "at least one file") }
      return items.compactMap { settingFile($0, "an entry of \(what)") }
    }
    return settingFile(node, what).map { [$0] } ?? []
  }

  private func settingFile(_ node: YAMLNode, _ what: String) -> SettingFileReference? {
    guard node.entries != nil else {
      if node.items != nil || isNull(node) {
        wrongForm(node, what, needs: "a path, or a mapping of 'path' and 'required'")
        return nil
      }
      return path(node, what).map { SettingFileReference(path: $0, range: node.range) }
    }
    var found: SettingFileReference?
    var isRequired = true
    readKeys(of: node, SettingFileKey.table, what: what) { key, _, entry in
      switch key {
      case .path:
        if let path = path(entry.value, "'path'") {
          found = SettingFileReference(path: path, range: entry.value.range)
        }
      case .required: isRequired = bool(entry.value, "'required'") ?? false
      }
    }
    if isMissing("path", in: node) { error(.missingKey, "a file needs a 'path'", at: node.range) }
    found?.isRequired = isRequired
    return found
  }

  private func path(_ node: YAMLNode, _ what: String) -> String? {
    guard let text = plainText(node, what) else { return nil }
    if text.isEmpty {
      wrongForm(node, what, needs: "a path")
      return nil
    }
    return text
  }
}
