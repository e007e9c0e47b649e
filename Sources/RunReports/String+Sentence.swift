extension String {
  /// The words with a capital letter at the beginning and a full stop at the end.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
