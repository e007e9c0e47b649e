import Testing

@testable import PluginKit

@Suite struct ValueCodingTests {
  struct Everything: PluginValue, Equatable {
    struct Inner: PluginValue, Equatable {
      var name: String
      var size: ByteCount?
    }
    enum Mood: String, CaseIterable, PluginValue { case good, bad }

    var text: String
    var flag: Bool
    var count: Int
    var ratio: Double
    var single: Float
    var tiny: UInt8
    var wait: Duration
    var at: Timestamp
    var size: ByteCount
    var any: JSONValue
    var inner: Inner
    var list: [Inner]
    var grid: [[Int]]
    var mood: Mood
    var maybe: Int?
    var names: [String: Int]
  }

  private let value = Everything(
    text: "a\"b\n", flag: true, count: -3, ratio: 0.5, single: 1.25, tiny: 255, wait: .milliseconds(1500),
    at: Timestamp(seconds: 1_000_000_000, nanoseconds: 250_000_000), size: 1024, any: ["z": [1, .null], "a": 2.5],
    inner: .init(name: "x", size: 1), list: [.init(name: "y", size: nil)], grid: [[1, 2], []], mood: .bad, maybe: nil,
    names: ["one": 1])

  private let json: JSONValue = [
    "text": "a\"b\n", "flag": true, "count": -3, "ratio": 0.5, "single": 1.25, "tiny": 255, "wait": "1.5s",
    "at": "2001-09-09T01:46:40.250Z", "size": 1024, "any": ["z": [1, .null], "a": 2.5],
    "inner": ["name": "x", "size": 1],
    "list": [["name": "y"]], "grid": [[1, 2], []], "mood": "bad", "names": ["one": 1],
  ]

  @Test func everythingIsEncodedInTheOrderOfTheDeclaration() throws {
    #expect(try ValueEncoder.encode(value).text == json.text)
  }

  @Test func everythingIsDecodedAsItWas() throws {
    #expect(try ValueDecoder.decode(Everything.self, from: json) == value)
  }

  @Test func aWordThatIsNoneOfAnEnumerationIsRefusedWithWhatIsAllowed() throws {
    enum Plain: String, Codable, Sendable { case create, modify }
    enum Listed: String, Codable, Sendable, CaseIterable { case create, modify }
    func problem<T: Decodable>(_ type: T.Type, _ value: JSONValue) -> String? {
      guard case .failure(let error) = Result(catching: { try ValueDecoder.decode(type, from: value) }) else {
        return nil
      }
      return (error as? DecodingError)?.sentence
    }
    #expect(
      problem([Everything.Mood].self, ["good", "godo"])
        == #"[1]: expected one of good, bad, found "godo"; did you mean 'good'?"#)
    #expect(problem([Everything.Mood?].self, [.null, "bda"])?.hasSuffix("did you mean 'bad'?") == true)
    #expect(problem(Listed.self, "creat") == #"expected one of create, modify, found "creat"; did you mean 'create'?"#)
    #expect(problem(Listed.self, 5) == "expected one of create, modify, found 5")
    #expect(problem([Plain].self, ["creat"]) == #"[0]: "creat" is not an allowed value"#)
    #expect(problem([Plain].self, ["create"]) == nil)
  }

  @Test func typesAreFoundOutByDecodingFromNothing() {
    #expect(
      Everything.valueType.description
        == "{text: string, flag: bool, count: int, ratio: number, single: number, tiny: int, wait: duration, "
        + "at: timestamp, size: size, any: json, inner: {name: string, size?: size}, "
        + "list: [{name: string, size?: size}], grid: [[int]], mood: string, maybe?: int, names: json}")
    #expect([Duration].valueType.description == "[duration]")
    #expect(Int?.valueType == .int)
    #expect(Everything.Mood.allowedValues == ["good", "bad"])
  }

  @Test func aTypeThatDecodesItselfIsJSON() {
    struct Odd: PluginValue {
      init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
      func encode(to encoder: any Encoder) throws {}
    }
    #expect(Odd.valueType == .json)
  }

  @Test(
    arguments: [
      ("tiny", 256, "tiny: expected a whole number from 0 through 255, found 256"),
      ("count", 1.5, "count: expected a whole number from -9223372036854775808 through 9223372036854775807, found 1.5"),
      ("text", .null, "text: expected a string, found null"),
      ("wait", "soon", "wait: expected a duration such as '1m30s', found \"soon\""),
      ("at", "noon", "at: expected a timestamp such as '2026-01-31T08:00:00Z', found 'noon'"),
      ("size", "big", "size: expected a size such as '16MiB', found 'big'"),
      ("list", [["name": 1]], "list[0].name: expected a string, found 1"),
      ("inner", [:], "inner.name: is missing"),
    ] as [(String, JSONValue, String)])
  func errorsSayWhereAndWhat(member: String, wrong: JSONValue, expected: String) throws {
    guard case .object(var members) = json else { return }
    members[member] = wrong
    let error = #expect(throws: DecodingError.self) {
      try ValueDecoder.decode(Everything.self, from: .object(members))
    }
    #expect(error.map { PluginProblem($0).message } == expected)
  }

  @Test func numbersThatJSONDoesNotHaveAreErrors() throws {
    #expect(throws: EncodingError.self) { try ValueEncoder.encode([1.0, .infinity]) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode(UInt64.max) }
  }

  @Test func durationsBetweenMillisecondsStayExact() throws {
    for duration in [Duration.nanoseconds(1), .microseconds(1_000_001), .seconds(3), .zero, .milliseconds(250)] {
      let json = try ValueEncoder.encode(duration)
      #expect(try ValueDecoder.decode(Duration.self, from: json) == duration, "\(json.text)")
    }
  }

  @Test(arguments: ["2001-09-09T01:46:40Z", "2001-09-09T01:46:40.123456789Z", "1969-12-31T23:59:59.500Z"])
  func timestampsStayExact(text: String) throws {
    let timestamp = try #require(Timestamp(notation: text))
    #expect(timestamp.notation == text)
  }
}
