import PipelineLanguage
import Testing

@Suite("Explanations of YAML syntax errors")
struct YAMLSyntaxTests {
  @Test("a tab in the indentation")
  func tab() {
    expect(
      "a:\n \tb: 1\n",
      "2:2: a tab is used for indentation, which YAML does not allow (indent with spaces)"
    )
  }

  @Test("no space after a colon", arguments: ["name:foo\n", "name:foo\nb: 1\n"])
  func missingSpace(text: String) {
    if text.contains("b") {
      expect(text, "1:5: a space is missing after this ':' (write ': ')")
    } else {
      // Alone in its file, this is a text, and the loader reports that a mapping is expected.
      #expect(readYAML(text).root?.text == "name:foo")
    }
  }

  @Test("no space after a colon, between good lines")
  func missingSpaceBetween() {
    expect("a: 1\nname:foo\nb: 1\n", "2:5: a space is missing after this ':' (write ': ')")
    expect("a: 1\n# see http://x.org\nurl:x\n\nb: 1\n", "3:4: a space is missing after this ':' (write ': ')")
  }

  @Test("a line without a colon")
  func noColon() {
    expect(
      "a: 1\njust text  \nb: 2\n",
      "2:1: a line inside a mapping must be 'key: value', and this has no ':' "
        + "(write 'key: value', or indent the line if it belongs to the text above)"
    )
  }

  @Test("a colon inside a value")
  func colonInValue() {
    let message = "': ' inside a value would begin another mapping on the same line (put the whole value in quotes)"
    expect("run: echo a: b\n", "1:12: " + message)
    expect("a: b: c\n", "1:5: " + message)
  }

  @Test("an unclosed quote")
  func openQuote() {
    expect("a: 1\nb: \"foo\nc: bar\n", "2:4: the quote that opens here is never closed (close it with \")")
    expect("a: 'foo\n---\n", "1:4: the quote that opens here is never closed (close it with ')")
    expect(
      "a: \"foo\nb: \"bar\"\n",
      "1:4: the quote that opens here closes only at line 2, where other text follows (close the quote on this line)"
    )
  }

  @Test("text after a closing quote")
  func textBehindQuote() {
    let fix = "(put the whole value in quotes, or double the quotes inside it)"
    expect("a: \"x\" y\n", "1:8: text follows a closing quote \(fix)")
    expect("a: 'it's'\n", "1:8: text follows a closing quote \(fix)")
  }

  @Test("invalid escapes")
  func escapes() {
    expect(
      "a: \"x\\d\"\n", "1:6: '\\d' is not an escape sequence in double quotes (write '\\\\d', or use single quotes)")
    expect(
      "a: \"\\xq1\"\n",
      "1:7: the escape in this double-quoted text is not the number of a character "
        + "(write \\x with 2, \\u with 4 or \\U with 8 hexadecimal digits)"
    )
  }

  @Test("characters that cannot start a value")
  func firstCharacters() {
    let quotes = "(put the value in quotes)"
    expect("a: @x\n", "1:4: a value cannot begin with '@' \(quotes)")
    expect("a: `x`\n", "1:4: a value cannot begin with '`' \(quotes)")
    expect("a: , b\n", "1:4: a value cannot begin with ',' \(quotes)")
    expect("a: %x\n", "1:4: a value cannot begin with '%' \(quotes)")
    expect("a: *.txt\n", "1:4: '*' begins an alias, which needs a name of letters, digits, '-' and '_' \(quotes)")
    expect("a: && b\n", "1:4: '&' begins an anchor, which needs a name of letters, digits, '-' and '_' \(quotes)")
    expect("a: !<x\n", "1:4: '!' begins a tag, but this is not a tag \(quotes)")
    expect("a: !e!x y\n", "1:4: '!' begins a tag, but this is not a tag \(quotes)")
  }

  @Test("lists in the wrong place")
  func lists() {
    expect(
      "a: - b\n",
      "1:4: a list cannot begin on the line of its key (put each '- ' on a separate line, or write [a, b])"
    )
    expect(
      "a: 1\n- x\n",
      "2:1: a list item stands where a key is expected (indent it below the key that the list belongs to)"
    )
    expect(
      "a:\n  - x\n  y: 1\n",
      "3:3: a list item was expected here, which begins with '- ' "
        + "(write '- ' before it, or indent it below the item that it belongs to)"
    )
  }

  @Test("indentation that matches nothing")
  func indentation() {
    expect(
      "a:\n    b: 1\n\n  c: 2\n",
      "4:3: the indentation of this line does not match any line above (indent it by 4 spaces, as line 2)"
    )
    expect(
      "a: 1\n  b: 2\n",
      "2:3: this key is indented deeper than the text above allows (align it with line 1, or quote the text there)"
    )
  }

  @Test("unclosed brackets, and closing brackets without an opening one")
  func brackets() {
    expect("a: [1, 2\nb: 3\n", "1:4: the '[' that opens here is never closed (close it with ']')")
    expect("a: [1, 2", "1:4: the '[' that opens here is never closed (close it with ']')")
    expect("a: {b: 1\nc: 2\n", "1:4: the '{' that opens here is never closed (close it with '}')")
    expect("a: ]\n", "1:4: no bracket was opened for this one (remove it)")
    expect(
      "a: [1 {2}]\n",
      "1:7: ',' or ']' was expected here (put ',' between the parts, and quotes around a text with special characters)"
    )
  }

  @Test("an unquoted expression inside brackets")
  func expression() {
    expect(
      "command: [a, ${{ x }}]\n", "1:14: an expression inside [ ] or { } must be in quotes (write \"${{ … }}\")"
    )
  }

  @Test("a bracket in an unquoted text inside brackets")
  func bracketInText() {
    let fix = "put the whole value in quotes, or its key on a separate line"
    expect(
      "- { name: one, run: echo ${X} }\n", "1:27: inside [ ] or { }, '{' ends a text without quotes (\(fix))")
    expect(
      "- { name: one, run: echo \"${X}\" }\n", "1:28: inside [ ] or { }, '{' ends a text without quotes (\(fix))")
    expect("- { run: 'open }\n", "1:10: the quote that opens here is never closed (close it with ')")
  }

  @Test("a colon in a text with both kinds of quotes")
  func colonBetweenQuotes() {
    expect(
      "run: echo '{\"rows\": 120}'\n",
      "1:19: ': ' inside a value would begin another mapping on the same line (begin the value with '|', and put the text on the next line)"
    )
  }

  @Test("text on the line of a block scalar's '|'")
  func blockScalarHeader() {
    expect(
      "a: | x\n  y\n",
      "1:6: after '|' or '>' only '+', '-', a digit from 1 to 9 and a comment may stand (begin the text on the next line)"
    )
  }

  @Test("directives")
  func directives() {
    expect("%YAML 1.3\n---\na: 1\n", "1:1: only YAML 1.1 and 1.2 can be read (remove the %YAML line)")
    expect(
      "a: 1\n...\n%FOO bar\n",
      "3:1: a line that begins with '%' is a directive, but this is not a directive "
        + "(remove the line, or indent it if it belongs to a text)"
    )
    let many = String(repeating: "%TAG !a! b\n", count: 200_000)
    expect(many, "101:1: more than 100 lines begin with '%' (indent the text, or remove the directives)")
  }

  @Test("control characters")
  func controlCharacters() {
    expect(
      "a: 1\nb: x\u{0}y\n",
      "2:5: the control character U+0000 is not allowed in YAML (remove it, or write it as \\x00 in double quotes)"
    )
    expect(
      "é: \u{1B}[0m\n",
      "1:4: the control character U+001B is not allowed in YAML (remove it, or write it as \\x1B in double quotes)"
    )
    expect(
      "a: \u{7F}\n",
      "1:4: the control character U+007F is not allowed in YAML (remove it, or write it as \\x7F in double quotes)"
    )
    expect(
      "a: \u{9F}\n",
      "1:4: the control character U+009F is not allowed in YAML (remove it, or write it as \\x9F in double quotes)"
    )
    expect("a: \u{FFFE}\n", "1:4: the control character U+FFFE is not allowed in YAML (remove it)")
    #expect(yamlFindings(in: "a: x\u{A0}\u{FFFD}\u{1F600}\n") == [])
  }

  @Test("invisible line breaks outside quotes")
  func invisibleLineBreaks() {
    for character in ["\u{85}", "\u{2028}", "\u{2029}"] {
      let code = String(character.unicodeScalars.first?.value ?? 0, radix: 16, uppercase: true)
      let digits = String(repeating: "0", count: 4 - code.count) + code
      expect(
        "b: 1\na: x\(character)y\nc: 1\n",
        "2:5: the invisible character U+\(digits) breaks this line (remove it, or write it as \\u\(digits) in double quotes)"
      )
    }
  }

  @Test("a key that is too long")
  func longKey() {
    expect(
      String(repeating: "k", count: 1_100) + ": 1\n",
      "1:1101: a key can have 1024 characters at most (write '? ' before it)"
    )
  }

  /// Expects `text` to have a single finding, `line:column: message (fix)`.
  private func expect(_ text: String, _ finding: String, at location: SourceLocation = #_sourceLocation) {
    let (root, diagnostics) = readYAML(text)
    let found = diagnostics.map { diagnostic in
      let start = diagnostic.range.start
      return "\(start.line):\(start.column): \(diagnostic.message)" + (diagnostic.fix.map { " (\($0))" } ?? "")
    }
    #expect(found == [finding], sourceLocation: location)
    #expect(diagnostics.allSatisfy { $0.code == "yaml-syntax" && $0.file == "t.yaml" }, sourceLocation: location)
    #expect(root == nil, sourceLocation: location)
  }
}
