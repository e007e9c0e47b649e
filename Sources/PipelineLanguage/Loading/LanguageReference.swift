/// The keys of the language as tables for its reference, generated from the loader's own tables.
public enum LanguageReference {
  /// The keys of one kind of mapping.
  public struct Section: Sendable {
    /// The owner of the keys, such as `an operation`.
    public var owner: String
    /// The keys, in the order of the documentation.
    public var keys: [Key]
  }

  /// A key.
  public struct Key: Sendable {
    /// The key as written.
    public var name: String
    /// The form of its value.
    public var form: String
    /// What it does, in one sentence.
    public var summary: String
    /// The default; nil if it needs no mention.
    public var standard: String?
    /// The actions with which it can be used; nil means all.
    public var actions: [String]?
    /// Whether the key is required.
    public var isRequired: Bool

    /// The defaults of one word that are descriptions, not values.
    private static let words: Set = ["none", "any", "empty", "nothing", "unsigned"]

    /// The default as a cell of a table: a value in backquotes, a description as it is.
    var defaultCell: String {
      if isRequired { return "required" }
      guard let standard else { return "none" }
      let isValue = !standard.contains(" ") && !standard.contains("`") && !Self.words.contains(standard)
      return isValue ? "`\(standard)`" : standard
    }
  }

  /// All sections, the outermost first. Keys that this version does not support yet are left out.
  public static var sections: [Section] {
    // Kinds with a short table come first.
    let early: [ActionKey] = [.wait, .approve, .pipeline]
    let kinds = early + ActionKey.allCases.filter { !early.contains($0) }
    let tables =
      [
        PipelineKey.table.section(), ParameterKey.table.section(),
        SettingFileKey.table.section(of: "a file of params or variables"), SecretKey.table.section(),
        DefaultsKey.table.section(), IncludedKey.table.section(),
        RetentionKey.table.section(), SpecificationKey.table.section(), PluginKey.table.section(),
        PluginLimitKey.table.section(of: "a plugin's 'limits'"), ControllerKey.table.section(),
        EventKey.table.section(),
        OperationKey.table.section(), ExecutorKey.table.section(), RetryKey.table.section(), CauseKey.table.section(),
        RepeatKey.table.section(),
        ForEachKey.table.section(), MatrixKey.table.section(),
      ] + kinds.flatMap { $0.kind.tables }
    return tables.map(section).filter { !$0.keys.isEmpty }
  }

  /// All sections of a host's file, the outermost first.
  public static var hostSections: [Section] {
    [
      HostKey.table.section(), HostLimitKey.table.section(), HostQueueKey.table.section(),
      HostEnvironmentKey.table.section(), RetentionKey.table.section(),
    ].map(section)
  }

  /// The keys of the language for which this version reports `not-available`, sorted and without duplicates.
  public static var keysToCome: [String] {
    let rows =
      PipelineKey.table.rows + SpecificationKey.table.rows + OperationKey.table.rows + RetryKey.table.rows
    return Set(rows.filter { !$0.isAvailable }.map(\.key)).sorted()
  }

  /// Returns the sections as Markdown, each with a heading and a table. `link` returns what a key links to; nil for nothing.
  public static func markdown(linking link: (Section, Key) -> String? = { _, _ in nil }) -> String {
    markdown(of: sections, linking: link)
  }

  /// Returns the sections of a host's file as Markdown.
  public static func hostMarkdown() -> String { markdown(of: hostSections) { _, _ in nil } }

  /// Returns the table of some keys as Markdown.
  public static func table(of keys: [Key], linking link: (Key) -> String? = { _ in nil }) -> String {
    var text = "| key | accepted values | default | what it does |\n|---|---|---|---|\n"
    for key in keys {
      let name = link(key).map { "[`\(key.name)`](\($0))" } ?? "`\(key.name)`"
      let actions = key.actions.map { " Only with \($0.map { "`\($0)`" }.joined(separator: ", "))." } ?? ""
      let cells = [name, key.form, key.defaultCell, key.summary + actions]
      text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return text
  }

  private static func markdown(of sections: [Section], linking link: (Section, Key) -> String?) -> String {
    sections.map { section in
      "### Keys of \(section.owner)\n\n\(table(of: section.keys) { link(section, $0) })\n"
    }.joined()
  }

  private static func section(_ table: KeySection) -> Section {
    let keys = table.rows.filter(\.isAvailable).map { row in
      Key(
        name: row.key, form: row.form.name, summary: row.summary, standard: row.defaultText,
        actions: row.actions?.map(\.rawValue), isRequired: row.isRequired)
    }
    return Section(owner: table.owner, keys: keys)
  }
}
