/// The table of the codes of findings about pipeline files, by subject.
///
/// The page of all codes is generated from it, and its examples are tests: each yields its code and no other.
enum DiagnosticTable {
  /// The codes of one subject.
  struct Section: Sendable {
    /// The subject, as a heading.
    let title: String
    let rows: [DiagnosticRow]
  }

  static let sections = [
    Section(title: "Files and YAML", rows: files + yaml),
    Section(title: "Keys and values", rows: keys),
    Section(title: "Params and nested pipelines", rows: params),
    Section(title: "Operations", rows: operations),
    Section(title: "Types and injection", rows: types),
    Section(title: "Expressions", rows: expressions),
    Section(title: "Specifications", rows: specifications),
    Section(title: "Secrets", rows: secrets),
    Section(title: "HTTP", rows: http),
    Section(title: "Plugins", rows: plugins),
  ]
}
