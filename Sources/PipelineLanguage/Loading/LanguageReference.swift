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
        OperationKey.table.section(), RetryKey.table.section(), CauseKey.table.section(), RepeatKey.table.section(),
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

  /// Returns the sections as Markdown, each with a heading and a table.
  public static func markdown() -> String { markdown(of: sections) }

  /// Returns the sections of a host's file as Markdown.
  public static func hostMarkdown() -> String { markdown(of: hostSections) }

  private static func markdown(of sections: [Section]) -> String {
    var text = ""
    for section in sections {
      text += "### Keys of \(section.owner)\n\n| key | value | default | what it does |\n|---|---|---|---|\n"
      for key in section.keys {
        let standard = key.isRequired ? "required" : key.standard ?? ""
        let actions = key.actions.map { " Only with \($0.map { "`\($0)`" }.joined(separator: ", "))." } ?? ""
        let cells = ["`\(key.name)`", key.form, standard, key.summary + actions]
        text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
      }
      text += "\n"
    }
    return text
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
