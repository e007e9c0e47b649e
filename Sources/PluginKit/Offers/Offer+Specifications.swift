extension Offer {
  /// Returns a specification with settings.
  ///
  /// The value and the reason in its description are reported to the host when it starts, and after each `onChange` that changes either. While its
  /// value is unknown, it is nil in its description and in `value(in:)`.
  ///
  /// - Parameters:
  ///   - id: The id in pipeline files.
  ///   - summary: When it is satisfied, in one line.
  ///   - threads: See ``Threads``.
  ///   - make: Creates the specification. Must return at once; an error that it throws is reported to the author of the pipeline file.
  /// - Returns: The offer.
  public static func specification<Settings: PluginSettings, Specification: OperationRunSpecification>(
    _ id: String, _ summary: String, threads: Threads = .instance,
    _ make: @escaping @Sendable (Settings) throws -> Specification
  ) -> Offer {
    Offer(.specification, id, summary, threads, types: []) { (link, settings: Settings) in
      SpecificationInstance(link, try make(settings))
    }
  }

  /// Returns a specification without settings.
  public static func specification<Specification: OperationRunSpecification>(
    _ id: String, _ summary: String, threads: Threads = .instance, _ specification: Specification
  ) -> Offer {
    self.specification(id, summary, threads: threads) { (_: NoSettings) in specification }
  }
}
