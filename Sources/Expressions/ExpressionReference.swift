/// One place where an expression names a context, with as much of the path into it as is fixed.
///
/// `results.fetch[0].tag` is the context `results` with the path `["fetch"]`; a context used whole has an empty path.
public struct ExpressionReference: Sendable, Hashable {
  /// The context's name; the built-in ones in lower case, others as written.
  public var context: String
  /// The members named by `.name` or `['name']` up to the first index or filter, as written.
  public var path: [String]
  /// Where the context's name begins in the expression's text (for a template: in the template's), from 1, in Unicode scalars.
  public var position: Int
  /// How many Unicode scalars the context and its path take up.
  public var length: Int

  /// A reference to `path` in `context`.
  public init(context: String, path: [String], position: Int, length: Int) {
    self.context = context
    self.path = path
    self.position = position
    self.length = length
  }
}
