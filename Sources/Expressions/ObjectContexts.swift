import OrderedCollections
import Values

/// Contexts held in memory: each member of an object is a context.
public struct ObjectContexts: ExpressionContexts, Sendable {
  /// The contexts by name.
  public var contexts: OrderedDictionary<String, JSONValue>
  /// The values of the status functions.
  public var status: ExpressionStatus

  /// Makes the members of `contexts` available to expressions.
  public init(_ contexts: OrderedDictionary<String, JSONValue> = [:], status: ExpressionStatus = ExpressionStatus()) {
    self.contexts = contexts
    self.status = status
  }

  /// Returns the value of `context.name`, or nil if the context has no such member.
  ///
  /// - Throws: `ExpressionError` for an unknown context.
  public func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? {
    if case .object(let members)? = contexts[context], let value = members[name] { return value }
    return try whole(context)?.expressionMember(name)
  }

  /// Returns the context called `context`, in any case.
  ///
  /// - Throws: `ExpressionError` for an unknown context.
  public func whole(_ context: String) throws(ExpressionError) -> JSONValue? {
    if let value = JSONValue.object(contexts).expressionMember(context) { return value }
    let near = NearestName.suggestion(for: context, among: contexts.keys)
    throw ExpressionError(
      .unknownContext, "unknown context '\(context)'", length: context.unicodeScalars.count,
      fix: near.map { "did you mean '\($0)'?" })
  }

  /// Fails, because there are no files here.
  ///
  /// - Throws: `ExpressionError`, always.
  public func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    throw ExpressionError(.noFiles, "'hashFiles' needs a run: there are no files here")
  }
}
