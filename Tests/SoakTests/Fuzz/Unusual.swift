import OperationsTesting

/// Pieces of text that parsers have failed on.
enum Unusual {
  /// Words and symbols with a meaning in YAML, in expressions or in the pipeline language.
  static let tokens: [String] = [
    "${{", "}}", "${{ }}", "${{ results.", "${{ results }}", "${{ item }}", "&a", "*a", "&a *a", "<<", "<<: *a", "---",
    "...", "!!binary",
    "!!str", "!", "!<x>", "? ", ": ", "- ", "|", "|+9", ">-", ">1", "%YAML 9.9", "'", "\"", "''''", "\\", "\\u{", "#",
    "@", "`",
    "0x", "0o9", "1e999", "-1e-999", "99999999999999999999999", "-9223372036854775808", "9223372036854775808", ".nan",
    ".inf", "~",
    "null", "true", "yes", "1_000", "1:30", "2026-01-31T08:00:00Z", "9999999999999w", "0s", "1h30m", "-5s",
    "99999999TiB",
    "name", "operations", "needs", "inject", "requires", "result", "when", "retry", "repeat", "for_each", "matrix",
    "exclusive",
    "resources", "after", "always", "secrets", "params", "defaults", "value", "wait", "approve", "pipeline", "command",
    "run", "stdin",
    "limit", "until", "concurrency", "overlap", "[string]", "{a: int, b?: [json]}", "[[[int]]]", "int", "duration",
    "file", "none",
    "success()", "failure()", "fromJSON('[')", "toJSON(results)", "format('{0}{9}', 1)", "format('{', 1)", "case(",
    "contains(",
    "results.*.*.*", "[0][0]", "['", "a.b.c", "&&", "||", "!!!!", "==", "<=", "-0", "NaN", "Infinity",
    "hashFiles('**')",
    "join(results.*, '')", "item.item.item", "params['x']", "env.PATH", "secrets.token", "length(results)",
    "keys(results)",
  ]

  /// Bytes that are not text, and unexpected text.
  static let texts: [[UInt8]] = [
    [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0x00], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
    [0x80], [0x1B, 0x5B, 0x33, 0x31, 0x6D],
    [0x0D], [0x0D, 0x0A], [0x0C], [0x0B], [0x7F],
    Array("\u{85}".utf8), Array("\u{2028}".utf8), Array("\u{2029}".utf8), Array("\u{FEFF}".utf8),
    Array("\u{202E}gnp".utf8),
    Array("\u{10FFFF}".utf8), Array("\u{FFFE}".utf8), Array("\u{E000}".utf8), Array("👩‍👩‍👧‍👦🏳️‍🌈".utf8), Array("ﬁ ẞ İ ı ǰ".utf8),
    Array("０１２".utf8),
    Array(("a" + String(repeating: "\u{301}", count: 300)).utf8), Array(String(repeating: "\u{200D}", count: 100).utf8),
    Array(String(repeating: "x", count: 5000).utf8), Array(String(repeating: " ", count: 3000).utf8),
    Array(String(repeating: "\n", count: 500).utf8), Array(String(repeating: "\t", count: 50).utf8),
  ]

  /// Returns nested brackets, operators or lists, up to a few thousand levels deep.
  static func nesting(random: inout SeededRandom) -> [UInt8] {
    let depth = [3, 20, 99, 100, 101, 600, 4000][Int.random(in: 0..<7, using: &random)]
    let (open, close) = random.element(of: [
      ("[", "]"), ("{a: ", "}"), ("- ", ""), ("(", ")"), ("!", ""), ("a[", "]"), ("? ", ""), ("not(", ")"), ("a.", "b"),
      ("-", "1"),
      ("[{", "}]"), ("fromJSON(", ")"), ("1 && ", "1"), ("a || (", ")"), ("&x [", "]"), ("\"\\", "\""),
      ("format('", "')"),
    ])
    let isClosed = !random.oneIn(3)
    return Array(
      (String(repeating: open, count: depth) + "1" + (isClosed ? String(repeating: close, count: depth) : "")).utf8)
  }
}
