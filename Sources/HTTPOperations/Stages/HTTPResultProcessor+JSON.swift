// The part of Foundation that swift-crypto links anyway.
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTTPResultProcessor {
  /// Decodes the body as JSON to a value of a `Decodable` type, with the default settings of Foundation's `JSONDecoder`.
  ///
  /// To configure it, or to use another decoder, see ``decoded(_:by:)``. A body that is not JSON, or not of the type, fails with ``HTTPResultError`` of
  /// code `undecodable`.
  public static func json<T: Decodable & Sendable>(_ type: T.Type = T.self) -> Self where Self == HTTPCollected<T> {
    decoded(type, by: StandardJSONDecoder())
  }
}

/// Foundation's decoder, created for each body.
private struct StandardJSONDecoder: HTTPBodyDecoder {
  func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
