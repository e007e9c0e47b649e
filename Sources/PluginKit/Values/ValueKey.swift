import OrderedCollections

/// The members of an object, in order.
typealias JSONMembers = OrderedDictionary<String, JSONValue>

/// The name of a member or the index of an element.
struct ValueKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ index: Int) {
    stringValue = "\(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}

extension [any CodingKey] {
  /// The path to a value, such as `lines[3].text`; empty for the whole.
  var place: String {
    reduce(into: "") { place, key in
      if let index = key.intValue {
        place += "[\(index)]"
      } else {
        place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }
}

extension DecodingError {
  /// What is wrong and where, in one sentence.
  var sentence: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      Self.sentence(context.codingPath, context.debugDescription)
    case .keyNotFound(let key, let context):
      Self.sentence(context.codingPath + [key], "is missing")
    @unknown default: "\(self)"
    }
  }

  private static func sentence(_ path: [any CodingKey], _ text: String) -> String {
    path.isEmpty ? text : "\(path.place): \(text)"
  }
}

extension EncodingError {
  /// What is wrong and where, in one sentence.
  var sentence: String {
    guard case .invalidValue(_, let context) = self else { return "\(self)" }
    let place = context.codingPath.place
    return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
  }
}
