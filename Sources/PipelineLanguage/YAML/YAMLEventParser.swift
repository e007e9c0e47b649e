import CLibYAML

/// libyaml's parser for bytes that outlive it. Owns the parser's memory, and frees each event after use.
struct YAMLEventParser: ~Copyable {
  /// The reason that parsing stopped, as libyaml reports it. Offsets are in Unicode scalars from the start of the text.
  struct Failure {
    let problem: String
    let context: String
    let problemScalar: Int
    let contextScalar: Int
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// Creates a parser of `bytes`; returns nil if there is no memory for it.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) != 0 else {
      parser.deallocate()
      return nil
    }
    self.parser = parser
    // Set explicitly, because libyaml would detect some UTF-8 texts as UTF-16.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Passes the events to `take` one by one until it returns false.
  ///
  /// - Returns: Nil, or the reason that libyaml could not continue.
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
