extension String {
  /// The text as a sentence, with an initial capital letter and a full stop.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
