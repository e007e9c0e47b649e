/// The keys of the language as tables for its reference, made from the tables that the loader reads by.
public enum LanguageReference {
  /// The keys of one kind of mapping.
  public struct Section: Sendable {
    /// What has these keys, such as `an operation`.
    public var owner: String
    /// The keys, in the order of the documentation.
    public var keys: [Key]
  }

  /// One key.
  public struct Key: Sendable {
    /// The key as it is written.
    public var name: String
    /// What may stand behind it.
    public var form: String
    /// What it does, in one sentence.
    public var summary: String
    /// What holds without it; nil when nothing need be said about that.
    public var standard: String?
    /// The actions that it goes with; nil means all.
    public var actions: [String]?
    /// Whether it must be there.
    public var isRequired: Bool
  }

  /// All sections, the outermost first. Keys that this version cannot act on yet are left out.
  public static var sections: [Section] {
    // Those of kinds with a short table come first.
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

  /// The keys that belong to the language but that this version answers with `not-available`, each once, in order.
  public static var keysToCome: [String] {
    let rows =
      PipelineKey.table.rows + SpecificationKey.table.rows + OperationKey.table.rows + RetryKey.table.rows
    return Set(rows.filter { !$0.isAvailable }.map(\.key)).sorted()
  }

  /// The sections as Markdown: a heading and a table each.
  public static func markdown() -> String { markdown(of: sections) }

  /// The sections of a host's file as Markdown.
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
