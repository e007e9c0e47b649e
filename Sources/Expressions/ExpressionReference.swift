/// A reference to a context in an expression, with the fixed part of the path into it.
///
/// `results.fetch[0].tag` is the context `results` with the path `["fetch"]`; a reference to a whole context has an empty path.
public struct ExpressionReference: Sendable, Hashable {
  /// The context's name; built-in ones in lowercase, others as written.
  public var context: String
  /// The members named by `.name` or `['name']` up to the first index or filter, as written.
  public var path: [String]
  /// The position of the context's name in the text of the expression (or of the template), from 1, in Unicode scalars.
  public var position: Int
  /// The length of the context and its path in Unicode scalars.
  public var length: Int

  /// Creates a reference to `path` in `context`.
  public init(context: String, path: [String], position: Int, length: Int) {
    self.context = context
    self.path = path
    self.position = position
    self.length = length
  }
}
