import Values

/// A violation of the contract in a plugin's description.
public struct PluginDescriptionProblem: Sendable, Hashable, CustomStringConvertible {
  /// The path to the member, such as `offers[2].settings[0].type`; empty for the description itself.
  public let path: String
  /// What is wrong, in one sentence without a full stop.
  public let message: String
  /// How to fix it.
  public let fix: String

  /// All three on one line.
  public var description: String { "\(path.isEmpty ? "" : "\(path): ")\(message); \(fix)" }
}

extension PluginDescription {
  /// The maximum number of offers of a plugin.
  static let mostOffers = 1000
  /// The maximum length of a plugin's id, and of an offer's name after the plugin's id, in characters.
  static let longestName = 64

  /// Reads the result of a plugin's `describe`.
  ///
  /// - Parameters:
  ///   - json: The JSON text.
  ///   - file: The path of the shared object, for messages.
  ///   - isNewer: Whether the plugin was compiled with a later minor version of the contract than this host. If so, offers of an unknown kind are
  ///     omitted, and an unknown value of `threads` means `instance`.
  /// - Returns: The checked description.
  /// - Throws: `malformed`, with the file, the first invalid member, and the number of further ones.
  public static func parse(
    _ json: some Collection<UInt8>, file: String, isNewer: Bool = false
  ) throws(PluginError) -> PluginDescription {
    let value: JSONValue
    do {
      value = try JSONValue.parse(json)
    } catch {
      throw PluginError(
        .malformed,
        "the description of the plugin '\(file.escapedForMessage)' is not JSON: \(error.description); "
          + "'describe' must give one JSON object in UTF-8, as plugin.h says under \"Description\"")
    }
    return try parse(value, file: file, isNewer: isNewer)
  }

  /// Reads a description that has been parsed as JSON; see ``parse(_:file:isNewer:)``.
  ///
  /// - Parameters:
  ///   - json: The description.
  ///   - file: The path of the shared object, for messages.
  ///   - isNewer: Whether the plugin was compiled with a later minor version of the contract than this host.
  /// - Returns: The checked description.
  /// - Throws: `malformed`, with the file, the first invalid member, and the number of further ones.
  public static func parse(
    _ json: JSONValue, file: String, isNewer: Bool = false
  ) throws(PluginError) -> PluginDescription {
    var reader = DescriptionReader(isNewer: isNewer)
    let description = reader.description(json)
    guard let first = reader.problems.first else {
      if let description { return description }
      throw PluginError(.malformed, "the plugin '\(file.escapedForMessage)' has no valid description")
    }
    let others = reader.problems.count - 1
    throw PluginError(
      .malformed,
      "the description of the plugin '\(file.escapedForMessage)' is invalid: \(first)"
        + (others == 0 ? "" : " (and \(others) more, see 'penstock plugins check')"))
  }

  /// Returns all problems of a description, in the order of its members; none if `parse(_:file:isNewer:)` accepts it.
  ///
  /// - Parameters:
  ///   - json: The description.
  ///   - isNewer: Whether the plugin was compiled with a later minor version of the contract than this host.
  /// - Returns: The problems.
  public static func problems(in json: JSONValue, isNewer: Bool = false) -> [PluginDescriptionProblem] {
    var reader = DescriptionReader(isNewer: isNewer)
    _ = reader.description(json)
    return reader.problems
  }
}

/// A single pass over a description that records all problems.
struct DescriptionReader {
  let isNewer: Bool
  private(set) var problems: [PluginDescriptionProblem] = []

  init(isNewer: Bool) { self.isNewer = isNewer }

  mutating func note(_ path: String, _ message: String, _ fix: String) {
    problems.append(PluginDescriptionProblem(path: path, message: message, fix: fix))
  }

  mutating func description(_ json: JSONValue) -> PluginDescription? {
    guard case .object = json else {
      note(
        "", "expected an object, found \(json.kind)",
        "give {\"id\": …, \"version\": …, \"summary\": …, \"offers\": […]}"
      )
      return nil
    }
    let id = name(json, "id", form: .id)
    let version = line(json, "version", example: "1.0.0")
    let summary = line(json, "summary", example: "What day it is")
    let author = optionalLine(json, "author")
    let license = optionalLine(json, "license")
    let homepage = optionalLine(json, "homepage")
    let offers = offers(json["offers"], plugin: id)
    guard problems.isEmpty, let id, let version, let summary else { return nil }
    return PluginDescription(
      id: id, version: version, summary: summary, author: author, license: license, homepage: homepage, offers: offers,
      source: json)
  }

  private mutating func offers(_ value: JSONValue?, plugin: String?) -> [PluginOffer] {
    guard let value else {
      note("offers", "it is missing", "list what the plugin offers: at least one")
      return []
    }
    guard case .array(let elements) = value else {
      note("offers", "expected a list, found \(value.kind)", "list what the plugin offers: at least one")
      return []
    }
    if elements.isEmpty { note("offers", "it is empty", "list what the plugin offers: at least one") }
    guard elements.count <= PluginDescription.mostOffers else {
      note(
        "offers", "there are \(elements.count), but at most 1,000 are allowed",
        "split the plugin, or turn offers into settings of one")
      return []
    }
    var seen: [OfferKey: Int] = [:]
    var offers: [PluginOffer] = []
    for (index, element) in elements.enumerated() {
      let path = "offers[\(index)]"
      guard let offer = offer(element, path: path, plugin: plugin) else { continue }
      if let earlier = seen.updateValue(index, forKey: OfferKey(kind: offer.kind, id: offer.id)) {
        note(
          "\(path).id", "the \(offer.kind.rawValue) '\(offer.id)' is already offered by offers[\(earlier)]",
          "give each a name of its own")
      }
      offers.append(offer)
    }
    return offers
  }

  private struct OfferKey: Hashable {
    let kind: PluginOffer.Kind
    let id: String
  }

  // MARK: Members shared with offers and settings

  /// The forms that names may have.
  enum NameForm {
    /// `[a-z][a-z0-9-]*`, at most 64 characters.
    case id
    /// `[a-z][a-z0-9_]*`, at most 64 characters.
    case setting

    var text: String { self == .id ? "[a-z][a-z0-9-]*" : "[a-z][a-z0-9_]*" }

    func fits(_ name: some StringProtocol) -> Bool {
      guard (1...PluginDescription.longestName).contains(name.utf8.count), let first = name.utf8.first,
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
      else { return false }
      let dash = UInt8(ascii: self == .id ? "-" : "_")
      return name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), dash: true
        default: false
        }
      }
    }

    /// Returns the name that was probably meant, if there is one.
    func proposal(for name: String) -> String? {
      let dash = self == .id ? "-" : "_"
      let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map { $0.lowercased() }
      let proposal = words.joined(separator: dash)
      return fits(proposal) ? proposal : nil
    }
  }

  mutating func name(
    _ json: JSONValue, _ member: String, form: NameForm, path: String = ""
  ) -> String? {
    let place = path + member
    guard let text = string(json, member, path: path, fix: "give a name of the form \(form.text)") else { return nil }
    guard form.fits(text) else {
      note(
        place, "\(quoted(text)) is not a name of the form \(form.text) with at most 64 characters",
        form.proposal(for: text).map { "use '\($0)'" } ?? "use lowercase letters and digits, starting with a letter")
      return nil
    }
    return text
  }

  /// Returns a required text of one line.
  mutating func line(
    _ json: JSONValue, _ member: String, example: String, path: String = ""
  ) -> String? {
    guard let text = string(json, member, path: path, fix: "give one line, such as \"\(example)\"") else { return nil }
    guard isOneLine(text) else {
      note(
        path + member, text.isEmpty ? "it is empty" : "it has line breaks or other control characters",
        "give one line, such as \"\(example)\"")
      return nil
    }
    return text
  }

  /// Returns an optional text of one line.
  mutating func optionalLine(
    _ json: JSONValue, _ member: String, path: String = ""
  ) -> String? {
    guard let value = json[member] else { return nil }
    guard case .string(let text) = value, isOneLine(text) else {
      note(path + member, "expected one line of text, found \(summary(of: value))", "give one line, or remove it")
      return nil
    }
    return text
  }

  private func isOneLine(_ text: String) -> Bool {
    !text.isEmpty
      && !text.unicodeScalars.contains {
        $0.properties.generalCategory == .control || $0 == "\u{2028}" || $0 == "\u{2029}"
      }
  }

  /// Returns a required text.
  mutating func string(
    _ json: JSONValue, _ member: String, path: String, fix: String
  ) -> String? {
    switch json[member] {
    case .string(let text): return text
    case nil: note(path + member, "it is missing", fix)
    case .some(let value): note(path + member, "expected a string, found \(summary(of: value))", fix)
    }
    return nil
  }

  /// Returns a value of an enumeration; the default if it is missing or invalid.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ json: JSONValue, _ member: String, path: String, default standard: Choice
  ) -> Choice where Choice.RawValue == String {
    guard let value = json[member] else { return standard }
    if case .string(let text) = value {
      if let choice = Choice(rawValue: text) { return choice }
      if isNewer { return standard }
    }
    note(path + member, "unknown value \(summary(of: value))", choiceFix(value, among: Choice.allCases.map(\.rawValue)))
    return standard
  }

  func choiceFix(_ value: JSONValue, among names: [String]) -> String {
    if let text = value.stringValue, let near = NearestName.suggestion(for: text, among: names) {
      return "did you mean '\(near)'?"
    }
    return "use one of \(names.joined(separator: ", "))"
  }

  /// Returns a text in quotes, on one line, truncated if it is long.
  func quoted(_ text: String) -> String { summary(of: .string(text)) }

  /// Returns a short description of a value.
  func summary(of value: JSONValue) -> String {
    switch value {
    case .string(let text):
      let scalars = text.unicodeScalars
      let shown = String(String.UnicodeScalarView(scalars.prefix(40))) + (scalars.dropFirst(40).isEmpty ? "" : "…")
      return JSONValue.string(shown).text
    case .array, .object, .null: return value.kind
    default: return value.text
    }
  }
}
