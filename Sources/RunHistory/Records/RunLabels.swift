import OrderedCollections
import Values

/// A label that runs are filtered by.
public struct RunLabel: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// Its text; nil for any.
  public var text: String?

  /// Creates a label with that name, and that text or any.
  public init(name: String, text: String? = nil) {
    self.name = name
    self.text = text
  }

  /// Whether it is among the labels of a run.
  package func isAmong(_ labels: [String: String]) -> Bool {
    guard let found = labels[name] else { return false }
    return text == nil || text == found
  }

  /// The condition on the column of labels, with its arguments. Invalid JSON, which another program may have written there, contains no labels.
  var sql: (text: String, arguments: [String]) {
    let labels = "json_each(iif(json_valid(run_record.labels), run_record.labels, NULL))"
    return (
      "EXISTS (SELECT 1 FROM \(labels) l WHERE l.key = ?\(text == nil ? "" : " AND l.value = ?"))",
      [name] + (text.map { [$0] } ?? [])
    )
  }
}

extension [RunLabel] {
  /// The argument for ``condition(_:on:)``: an array for each label, with its name and its text; nil without labels.
  var argument: String? {
    isEmpty ? nil : JSONValue.array(map { .array([.string($0.name), JSONValue($0.text)]) }).text
  }

  /// Returns the condition that the labels in a column include all of ``argument``.
  static func condition(_ argument: String, on column: String) -> String {
    """
    (\(argument) IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(\(argument)) w WHERE NOT EXISTS (
        SELECT 1 FROM json_each(iif(json_valid(\(column)), \(column), NULL)) l
        WHERE l.key = json_extract(w.value, '$[0]') AND l.value = ifnull(json_extract(w.value, '$[1]'), l.value))))
    """
  }
}

/// The stored form of a run's labels.
enum RunLabels {
  /// Returns a JSON object in the order of names, or nil without labels.
  static func text(of labels: [String: String]) -> String? { labels.isEmpty ? nil : value(of: labels).text }

  static func value(of labels: [String: String]) -> JSONValue {
    .object(.init(uniqueKeysWithValues: labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }

  /// Parses what ``text(of:)`` has written. Values that are not strings are ignored.
  static func labels(of text: String?) -> [String: String] {
    guard let text, let members = (try? JSONValue.parse(text))?.objectValue else { return [:] }
    return Dictionary(members.compactMap { name, value in value.stringValue.map { (name, $0) } }) { $1 }
  }
}

extension RunRecord {
  /// The labels as a JSON object, in the order of their names.
  package var labelsValue: JSONValue { RunLabels.value(of: labels) }

  /// The labels in words, in the order of their names: `env=prod, team=data`.
  package var labelsText: String {
    labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
  }
}
