/// A specification that does not know its value at times, such as while what it observes cannot be read.
///
/// Unknown satisfies nothing: in a pipeline neither the specification nor its negation is satisfied then.
public protocol UncertainRunSpecification: OperationRunSpecification {
  /// Whether the value is known. Asked like `isSatisfied`; `isSatisfied` must be false where it is not.
  func isKnown(in context: OperationContext) -> Bool
}

extension Offer {
  /// A specification of settings.
  ///
  /// The host is told its value and its description's reason when it starts, and after each `onChange` that brings another
  /// value or reason. One that does not know its value at times is an ``UncertainRunSpecification``.
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
