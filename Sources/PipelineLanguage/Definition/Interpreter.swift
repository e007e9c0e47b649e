/// A program that takes program text as an argument, such as `sh -c` or `awk`.
///
/// The value of an expression there would be run as code, whoever supplies it, which is the error that `run` prevents in scripts.
struct Interpreter: Sendable {
  /// How the program's code is recognized among its arguments.
  enum Syntax: Sendable {
    /// As in a shell: the first argument after all options, if `c` is one of them.
    case shell
    case options(Options)
  }

  /// Options as `getopt` reads them: letters that can be combined, and words.
  struct Options: Sendable {
    /// The options whose value is code.
    var code: String
    var codeWords: [String] = []
    /// The options whose value is the rest of the word or, if that is empty, the next argument.
    var valued = ""
    var valuedWords: [String] = []
    /// The options whose value, if any, is the rest of the word.
    var attached = ""
    /// The options after which the arguments belong to a program that is not among them.
    var last = ""
    /// Whether code is the last option.
    var isCodeLast = false
    /// Whether code can follow its option in the same word.
    var canCodeBeAttached = true
    /// Whether the first operand is code, unless one of `last` was given.
    var isOperandCode = false
  }

  /// The names of the program, without a version's digits and dots.
  let names: [String]
  let syntax: Syntax
  /// The option before the code; nil if it needs none.
  let option: String?
  /// Code that uses the first argument after it, and any words in between; nil if arguments cannot reach the code unchanged.
  let sample: String?

  static let all = [
    Interpreter(
      names: ["sh", "ash", "dash", "bash", "ksh", "mksh", "zsh"], syntax: .shell, option: "-c",
      sample: #"'echo "$1"', sh"#),
    Interpreter(
      names: ["fish"],
      syntax: .options(
        Options(
          code: "cC", codeWords: ["--command", "--init-command"], valued: "dDof",
          valuedWords: ["--debug", "--debug-output", "--features", "--profile", "--profile-startup"])),
      option: "-c", sample: "'echo $argv[1]'"),
    Interpreter(
      names: ["python", "pypy"],
      syntax: .options(
        Options(code: "c", valued: "WXQ", valuedWords: ["--check-hash-based-pycs"], last: "m", isCodeLast: true)),
      option: "-c", sample: "'import sys; print(sys.argv[1])'"),
    Interpreter(
      names: ["perl"], syntax: .options(Options(code: "eE", valued: "I", attached: "iFMmxdDVC")),
      option: "-e", sample: "'print $ARGV[0]'"),
    Interpreter(
      names: ["ruby"], syntax: .options(Options(code: "e", valued: "rICE", attached: "iFKWxT")),
      option: "-e", sample: "'puts ARGV[0]'"),
    Interpreter(
      names: ["node", "nodejs"],
      syntax: .options(
        Options(
          code: "ep", codeWords: ["--eval", "--print"], valued: "rC",
          valuedWords: ["--require", "--import", "--conditions", "--input-type"], canCodeBeAttached: false)),
      option: "-e", sample: "'console.log(process.argv[1])'"),
    Interpreter(
      names: ["awk", "gawk", "mawk", "nawk"],
      syntax: .options(
        Options(
          code: "e", codeWords: ["--source"], valued: "Fvil",
          valuedWords: ["--field-separator", "--assign", "--include", "--load"], last: "fE", isOperandCode: true)),
      option: nil, sample: nil),
  ]

  /// Returns the interpreter for a program's name or path, such as Python for `/usr/bin/python3.12`.
  static func named(_ program: String) -> Interpreter? {
    var name = baseName(of: program)
    while let last = name.last, last == "." || ("0"..."9").contains(last) { name.removeLast() }
    return all.first { $0.names.contains(String(name)) }
  }

  /// Returns the part of a path after its last slash.
  static func baseName(of path: String) -> Substring { path.split(separator: "/").last ?? "" }

  /// The use of an interpreter in a command.
  struct Use: Sendable {
    let interpreter: Interpreter
    /// The program as the command names it.
    let program: String
    /// The positions of the arguments that are code.
    let places: [Int]
  }

  /// Returns the use of an interpreter that runs some of `words` as code. It may follow `env`.
  static func use(in words: [String]) -> Use? {
    guard let start = programPlace(in: words), let interpreter = named(words[start]) else { return nil }
    let places =
      switch interpreter.syntax {
      case .shell: shellCode(in: words, from: start + 1)
      case .options(let options): options.code(in: words, from: start + 1)
      }
    return places.isEmpty ? nil : Use(interpreter: interpreter, program: words[start], places: places)
  }

  /// Returns the position of the program, skipping `env`. Nil if no program is started, or if `env -S` splits the words.
  static func programPlace(in words: [String]) -> Int? {
    var at = 0
    while at < words.count, baseName(of: words[at]) == "env" {
      at += 1
      options: while at < words.count {
        switch words[at] {
        case "-u", "--unset", "-C", "--chdir": at += 2
        case "--":
          at += 1
          break options
        case let word where word.hasPrefix("-S") || word.hasPrefix("--split-string"): return nil
        case let word where word.hasPrefix("-") || isAssignment(word): at += 1
        default: break options
        }
      }
    }
    return at < words.count ? at : nil
  }

  /// Returns whether a word is `NAME=value`.
  static func isAssignment(_ word: String) -> Bool {
    guard let sign = word.firstIndex(of: "=") else { return false }
    return sign > word.startIndex
      && word[..<sign].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  private static func shellCode(in words: [String], from start: Int) -> [Int] {
    var (at, takesCode) = (start, false)
    while at < words.count, let sign = words[at].first, sign == "-" || sign == "+" {
      let word = words[at]
      at += 1
      if word == "-" || word == "--" { break }
      if word.hasPrefix("--") {
        if ["--rcfile", "--init-file", "--emulate"].contains(word) { at += 1 }
        continue
      }
      if sign == "-", word.contains("c") { takesCode = true }
      // Each of these takes a name: `-euo pipefail`.
      at += word.count { $0 == "o" || $0 == "O" }
    }
    return takesCode && at < words.count ? [at] : []
  }
}

extension Interpreter.Options {
  /// Returns the positions of `words`, from `start` on, that are code.
  fileprivate func code(in words: [String], from start: Int) -> [Int] {
    var places: [Int] = []
    var at = start
    while at < words.count, words[at].hasPrefix("-"), words[at] != "-" {
      let word = words[at]
      at += 1
      if word == "--" { break }
      switch value(of: word) {
      case .none: continue
      case .last: return places
      case .next: at += 1
      case .ownCode: places.append(at - 1)
      case .nextCode:
        // `node -p -e CODE`
        if !canCodeBeAttached, at < words.count, words[at].hasPrefix("-") { continue }
        if at < words.count { places.append(at) }
        at += 1
      }
      if isCodeLast, !places.isEmpty { return places }
    }
    if isOperandCode, places.isEmpty, at < words.count { places.append(at) }
    return places
  }

  private enum Value { case none, next, nextCode, ownCode, last }

  /// Returns what kind of value an option has.
  private func value(of word: String) -> Value {
    if word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      let isAlone = name.count == word.count
      if codeWords.contains(name) { return isAlone ? .nextCode : .ownCode }
      return isAlone && valuedWords.contains(name) ? .next : .none
    }
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      if code.contains(letter) { return letters.isEmpty || !canCodeBeAttached ? .nextCode : .ownCode }
      if valued.contains(letter) { return letters.isEmpty ? .next : .none }
      if attached.contains(letter) { return .none }
      if last.contains(letter) { return .last }
    }
    return .none
  }
}
