/// Words as a shell reads them, for commands that a person may copy.
package enum ShellText {
  /// The word so that bash, zsh, fish and any POSIX shell take it for that word alone.
  ///
  /// Brackets are patterns in zsh and fish, and zsh looks a word up that begins with `=`. Between single quotes fish reads a backslash before another or
  /// before a quote as an escape, so that these stand outside of them.
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
