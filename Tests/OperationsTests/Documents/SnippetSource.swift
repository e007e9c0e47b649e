/// The Swift blocks of documents as one source file, which compiles if and only if they do.
///
/// Each document becomes an enum. The content of a block decides where it is placed:
///
/// | block | place |
/// |---|---|
/// | has an `extension` or an `import` at its left edge | the file, outside of the enum |
/// | has only declarations of types and functions there | the enum, for all blocks of the document |
/// | anything else | a function of its own, which may be asynchronous and throw |
///
/// A comment `<!-- setup: … -->` before a block contains lines that the reader does not see. They are placed by the
/// same rule; statements among them precede those of the next block.
struct SnippetSource {
  private enum Place {
    case file
    case scope
    case function
  }

  /// The lines outside of the enums.
  private var fileLines: [String] = []
  private var scopes: [String] = []

  /// The source file.
  var text: String {
    """
    // The Swift blocks of the documents, written by DocumentSnippetTests with PENSTOCK_UPDATE_DOCUMENTATION=1.
    // swift-format-ignore-file

    import HTTPOperations
    import LinuxObservers
    import Operations
    import OperationsTesting
    import Synchronization


    """ + fileLines.joined(separator: "\n") + scopes.joined(separator: "\n")
  }

  /// Adds the blocks of a document, if it has any.
  mutating func add(_ document: String, path: String) {
    let parts = Self.parts(of: document)
    guard !parts.isEmpty else { return }
    var scope: [String] = []
    var setup: [String] = []
    // Blocks are numbered rather than lines, so that other text can change without changing the file.
    var number = 0
    for part in parts {
      if !part.isSetup { number += 1 }
      switch Self.place(of: part.lines) {
      case .file:
        fileLines += ["// \(path)"] + part.lines + [""]
      case .scope:
        scope += part.lines.map(Self.indented) + [""]
      case .function where part.isSetup:
        setup += part.lines
      case .function:
        let lines = setup + part.lines
        setup = []
        scope.append("  static func block\(number)() async throws {")
        scope += (lines + Self.names(in: lines).map { "_ = \($0)" }).map { Self.indented(Self.indented($0)) }
        scope += ["  }", ""]
      }
    }
    let name = String(path.split(separator: "/").joined(separator: "_").map { $0.isLetter ? $0 : "_" })
    scopes.append((["// \(path)", "private enum \(name) {"] + scope.dropLast() + ["}", ""]).joined(separator: "\n"))
  }

  private static func indented(_ line: String) -> String { line.isEmpty ? line : "  " + line }

  /// A block, or its setup.
  private struct Part {
    var lines: [String] = []
    var isSetup: Bool
  }

  private static func parts(of document: String) -> [Part] {
    var parts: [Part] = []
    var open: Part?
    var isOther = false
    for line in document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if var part = open {
        guard line.hasPrefix(part.isSetup ? "-->" : "```") else {
          part.lines.append(line)
          open = part
          continue
        }
        parts.append(part)
        open = nil
      } else if isOther {
        isOther = !line.hasPrefix("```")
      } else if line == "<!-- setup:" {
        open = Part(isSetup: true)
      } else if line == "```swift" {
        open = Part(isSetup: false)
      } else if line.hasPrefix("```") {
        isOther = true
      }
    }
    return parts
  }

  private static func place(of lines: [String]) -> Place {
    var place = Place.scope
    for line in lines {
      guard let first = line.first, first.isLetter || first == "@" else { continue }
      let words = line.split { !$0.isLetter && $0 != "@" }.filter { !["final", "private", "fileprivate"].contains($0) }
      switch words.first {
      case "extension", "import": return .file
      case "struct", "enum", "class", "actor", "protocol", "func", "typealias": break
      default: place = .function
      }
    }
    return place
  }

  /// Returns the names of the variables in statements: a document need not use all of them, which the compiler would warn about.
  private static func names(in lines: [String]) -> [String] {
    lines.compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2)
      guard let word = words.first, ["let", "var"].contains(word), line.hasPrefix(word), words.count > 2 else {
        return nil
      }
      return String(words[1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
  }
}
