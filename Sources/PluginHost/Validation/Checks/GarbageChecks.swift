import Values

extension CheckContext {
  func settings() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    plugin.host.takeAnyValue()
    var refused = 0
    let all = garbage() + misfits(offer)
    for (name, settings) in all {
      doing("create with settings that are \(name)")
      guard case .made(let instance) = plugin.create(offer, settings: settings) else {
        refused += 1
        continue
      }
      doing("start with settings that are \(name)")
      instance.start(goodInput(offer))
      sleep(.microseconds(200))
      finish(instance, " (its settings are \(name))")
    }
    note = "\(refused) of \(all.count) rejected"
  }

  func input() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    plugin.host.takeAnyValue()
    for (name, input) in garbage() {
      doing("start with input that is \(name)")
      let instance = try instance(plugin, offer)
      instance.start(input)
      sleep(.microseconds(200))
      finish(instance, " (its input is \(name))")
    }
  }

  /// Returns texts that are not objects, not JSON, not UTF-8, or too large.
  private func garbage() -> [(String, [UInt8])] {
    let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
    var all: [(String, String)] = [
      ("empty", ""), ("null", "null"), ("a number", "1e400"), ("a string", "\"x\""), ("a list", "[1, 2]"),
      ("an empty object", "{}"),
      ("cut off", "{\"a\": \"b"), ("cut off in an escape", "{\"a\\"), ("cut off in a code unit", "{\"a\\u12"),
      ("no JSON", "}{,:\"\\u"),
      ("half of a surrogate pair", "{\"a\": \"\\ud800\"}"), ("an object with a member for nothing", "{\"\": \"\"}"),
    ]
    all.append(
      ("an object with 10,000 members", "{" + (0..<10_000).map { "\"m\($0)\": \($0)" }.joined(separator: ",") + "}"))
    var bytes = all.map { ($0.0, Array($0.1.utf8)) }
    bytes.append(("nested 100,000 deep", deep))
    bytes.append(("nested deep in an object", Array("{\"a\":".utf8) + deep))
    bytes.append(("no UTF-8", [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0xC0, 0x80, 0x7D]))
    bytes.append(("zeros", Array(repeating: 0, count: 64)))
    bytes.append(
      ("a megabyte of text", Array("{\"a\":\"".utf8) + Array(repeating: 0x78, count: 1 << 20) + Array("\"}".utf8)))
    for number in 0..<8 {
      let count = Int.random(in: 1...64, using: &random)
      bytes.append(
        ("random bytes no. \(number + 1)", (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
    }
    return bytes
  }

  /// Returns settings with the right names but with values that have wrong types or are missing, huge or odd.
  private func misfits(_ offer: PluginOffer) -> [(String, [UInt8])] {
    let good = goodSettings(offer).objectValue ?? [:]
    let odd: [(String, JSONValue)] = [
      ("null", .null), ("true", true), ("a number", 42), ("a negative number", -1), ("the largest int", .int(.max)),
      ("a huge number", .double(1e300)), ("empty", ""), ("control characters", "\u{0}\u{1}\n\u{7F}"),
      ("a long text", .string(String(repeating: "x", count: 100_000))), ("format directives", "%s%n%s%n"),
      ("a list", .array([])),
      ("an object", .object([:])),
    ]
    var all: [(String, [UInt8])] = []
    for setting in offer.settings {
      for (name, value) in odd {
        var members = good
        members[setting.name] = value
        all.append(("good but for '\(setting.name)', which is \(name)", Array(JSONValue.object(members).text.utf8)))
      }
      var members = good
      members[setting.name] = nil
      all.append(("good but for '\(setting.name)', which is missing", Array(JSONValue.object(members).text.utf8)))
    }
    return all
  }
}
