import CLibYAML

/// libyaml's parser over bytes that outlive it. Owns the parser's memory, and frees each event after it was looked at.
struct YAMLEventParser: ~Copyable {
  /// Why parsing stopped, in libyaml's words. Offsets count Unicode scalars from the start of the text.
  struct Failure {
    let problem: String
    let context: String
    let problemScalar: Int
    let contextScalar: Int
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// A parser of `bytes`, or nil when there is no memory for it.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) != 0 else {
      parser.deallocate()
      return nil
    }
    self.parser = parser
    // Said beforehand, because libyaml would take some UTF-8 texts for UTF-16.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Hands the events to `take` one after the other until it answers false.
  ///
  /// - Returns: Nil, or why libyaml could not go on.
  func forEachEvent(_ take: (yaml_event_t) -> Bool) -> Failure? {
    var goesOn = true
    while goesOn {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) != 0 else { return failure }
      goesOn = take(event)
      yaml_event_delete(&event)
    }
    return nil
  }

  private var failure: Failure {
    let problem = parser.pointee.problem.map { String(cString: $0) }
    return Failure(
      problem: problem ?? (parser.pointee.error == YAML_MEMORY_ERROR ? "there is not enough memory" : ""),
      context: parser.pointee.context.map { String(cString: $0) } ?? "",
      problemScalar: problem == nil ? parser.pointee.mark.index : parser.pointee.problem_mark.index,
      contextScalar: parser.pointee.context_mark.index
    )
  }
}
