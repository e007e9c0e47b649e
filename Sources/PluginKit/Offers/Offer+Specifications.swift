extension Offer {
  /// A specification of settings.
  ///
  /// The host is told the value and the reason of its description when it starts, and after each `onChange` that brings
  /// another value or reason. While it does not know its value, that is nil in its description and in `value(in:)`.
  ///
  /// - Parameters:
  ///   - id: The id in pipeline files.
  ///   - summary: When it is satisfied, in one line.
  ///   - threads: See ``Threads``.
  ///   - make: Makes the specification. Must return at once; what it throws is told to the author of the file.
  /// - Returns: The offer.
  public static func specification<Settings: PluginSettings, Specification: OperationRunSpecification>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Specification
  ) -> Offer {
    Offer(.specification, id, summary, threads, types: []) { (link, settings: Settings) in
      SpecificationInstance(link, try make(settings))
    }
  }

  /// A specification without settings.
  public static func specification<Specification: OperationRunSpecification>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ specification: Specification
  ) -> Offer {
    self.specification(id, summary, threads: threads) { (_: NoSettings) in specification }
  }
}
