/// Formats words for a shell, for commands that a person may copy.
package enum ShellText {
  /// Returns an option with its value, to be appended to a command: ` --workspace DIR`.
  package static func option(_ name: String, _ value: String) -> String { " \(name) \(quoted(value))" }

  /// Returns the word, quoted so that bash, zsh, fish and any POSIX shell read it as that single word.
  ///
  /// Brackets are patterns in zsh and fish, and zsh expands a word that starts with `=`. Inside single quotes, fish treats a backslash before a backslash or
  /// quote as an escape, so these characters are placed outside.
  package static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty && word.utf8.first != UInt8(ascii: "=")
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./=:,@%+".utf8.contains(byte)
        }
      }
    if isPlain { return word }
    var quoted = "'"
    for scalar in word.unicodeScalars {
      if scalar == "'" || scalar == "\\" { quoted += "'\\\(scalar)'" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }
}
