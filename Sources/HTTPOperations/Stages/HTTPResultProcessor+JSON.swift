// The part of Foundation that swift-crypto has linked already.
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTTPResultProcessor {
  /// The body, which is JSON, as a value of a `Decodable` type, by Foundation's `JSONDecoder` as it is by default.
  ///
  /// Where it has to be configured, or another decoder is wanted, there is ``decoded(_:by:)``. A body that is not JSON, or
  /// not of the type, fails with ``HTTPResultError`` of code `undecodable`.
  public static func json<T: Decodable & Sendable>(_ type: T.Type = T.self) -> Self where Self == HTTPCollected<T> {
    decoded(type, by: StandardJSONDecoder())
  }
}

/// Foundation's decoder, made anew for each body.
private struct StandardJSONDecoder: HTTPBodyDecoder {
  func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
