/// Parses cron lines. Positions are in Unicode scalars from 1.
struct CronParser {
  /// The parsed values of one field.
  struct Values {
    var values: UInt64 = 0
    var hasLast = false
    var ordinals = [UInt8](repeating: 0, count: 7)
    /// Whether some value does not match. The notation is irrelevant: `*/1` and `1-31` restrict nothing.
    var isRestricted = true
  }

  /// The parsed values of all fields of a line.
  struct Fields {
    private var values: [CronField: Values] = [:]

    subscript(field: CronField) -> Values {
      get { values[field] ?? Values() }
      set { values[field] = newValue }
    }
  }

  private static let nicknames = [
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
  ]

  /// The maximum length; a line that lists every value of every field has about 530 characters.
  private static let maximumLength = 600

  private let text: String
  private let scalars: [Unicode.Scalar]

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars.prefix(Self.maximumLength + 1))
  }

  func parse() throws(CronError) -> CronExpression {
    guard scalars.count <= Self.maximumLength else {
      throw CronError(
        message: "a schedule has at most \(Self.maximumLength) characters", position: Self.maximumLength + 1, length: 0,
        fix: nil)
    }
    if let other = scalars.firstIndex(where: { $0.value < 0x20 && $0 != "\t" }) {
      throw error("only spaces and tabs can separate the fields of a schedule", other..<other + 1)
    }
    let words = words()
    if let first = words.first, scalars[first.lowerBound] == "@" {
      // `@every 5m` is valid elsewhere, and gets its own error message.
      guard words.count == 1 || text(first) == "@every" else {
        throw error("nothing can follow the nickname '\(text(first))'", words[1].lowerBound..<scalars.count)
      }
      let fields = try CronParser(nickname(first)).fields()
      return CronExpression(text: text, fields: fields)
    }
    if let first = words.first, text(first).hasPrefix("TZ=") || text(first).hasPrefix("CRON_TZ=") {
      throw error("a schedule cannot contain a time zone", first, fix: "set it with 'zone' beside the schedule")
    }
    try checkCount(words)
    return CronExpression(text: text, fields: try fields())
  }

  private func nickname(_ word: Range<Int>) throws(CronError) -> String {
    let name = text(word)
    if let line = Self.nicknames[name] { return line }
    switch name {
    case "@reboot":
      throw error(
        "'@reboot' is not supported: it does not name a time", word,
        fix: "use a time such as @daily or '0 3 * * *'; to run something at boot, start it from a systemd unit")
    case "@every":
      throw error(
        "'@every' is not a schedule of clock times", word, fix: "use the controller 'interval', with every: 5m")
    default: break
    }
    let near = Self.nicknames[name.lowercased()] != nil ? "did you mean '\(name.lowercased())'?" : nil
    throw error(
      "there is no nickname '\(name)'", word,
      fix: near ?? "the nicknames are @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly")
  }

  /// Returns the ranges of the words separated by blanks.
  private func words() -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for (index, scalar) in scalars.enumerated() {
      let isBlank = scalar == " " || scalar == "\t"
      if isBlank, let begin = start {
        words.append(begin..<index)
        start = nil
      } else if !isBlank, start == nil {
        start = index
      }
    }
    if let start { words.append(start..<scalars.count) }
    return words
  }

  private func checkCount(_ words: [Range<Int>]) throws(CronError) {
    let form =
      "five fields (minute, hour, day of the month, month, day of the week), or six with the second before them"
    switch words.count {
    case 5, 6: return
    case 0: throw CronError(message: "the schedule is empty", position: 1, length: 0, fix: "it has \(form)")
    case 7...: throw error("a schedule has \(form); this is one too many", words[6])
    default:
      let fields = words.count == 1 ? "1 field" : "\(words.count) fields"
      throw CronError(
        message: "a schedule has \(form); there \(words.count == 1 ? "is" : "are") only \(fields)",
        position: scalars.count + 1, length: 0, fix: nil)
    }
  }

  private func fields() throws(CronError) -> Fields {
    let words = words()
    var fields = Fields()
    fields[.second].values = 1
    for (word, field) in zip(words, CronField.allCases.suffix(words.count)) {
      fields[field] = try values(word, of: field)
    }
    return fields
  }

  private func values(_ word: Range<Int>, of field: CronField) throws(CronError) -> Values {
    var values = Values()
    var start = word.lowerBound
    while true {
      let end = scalars[start..<word.upperBound].firstIndex(of: ",") ?? word.upperBound
      var item = CronItem(scalars: scalars, at: start, end: end, field: field)
      try item.read(into: &values)
      guard end < word.upperBound else { break }
      start = end + 1
    }
    values.isRestricted = values.values != field.all
    return values
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private func error(_ message: String, _ range: Range<Int>, fix: String? = nil) -> CronError {
    CronError(message: message, position: range.lowerBound + 1, length: range.count, fix: fix)
  }
}
