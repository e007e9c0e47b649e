/// A violation of the contract by a plugin. It is answered with a status and reported, and affects nothing else.
struct PluginMistake: Hashable, Sendable {
  enum Kind: Error, Hashable, Sendable {
    case tooLarge
    case longKey
    case noBytes
    case noUTF8(String)
    case noJSON(String)
    case noObject
    case noError(String)
    /// The name of an object's member, and what is wrong with it.
    case badMember(String, String)
    case noCallback
    case emptyText
    case unknownValue(Int32)
    case wrongKind(String)
    case mismatch(String)
    case endedTwice
    case beforeStart
    case afterDestroy
    case neverWas
    case afterClose
    case noInstance

    /// The status that the plugin receives.
    var status: PluginStatus {
      switch self {
      case .tooLarge, .longKey: .tooLarge
      case .endedTwice: .ended
      case .afterDestroy, .neverWas, .afterClose: .unknown
      default: .invalid
      }
    }

    /// Mistakes with the same number are reported as one kind.
    var number: Int {
      switch self {
      case .tooLarge: 0
      case .noBytes: 1
      case .noUTF8: 2
      case .noJSON: 3
      case .noObject: 4
      case .noError: 5
      case .noCallback: 6
      case .emptyText: 7
      case .unknownValue: 8
      case .wrongKind: 9
      case .mismatch: 10
      case .endedTwice: 11
      case .beforeStart: 12
      case .afterDestroy: 13
      case .neverWas: 14
      case .afterClose: 15
      case .noInstance: 16
      case .badMember: 17
      case .longKey: 18
      }
    }

    func sentence(_ function: HostFunction) -> String {
      switch self {
      case .tooLarge: "passed more than 16 MiB to '\(function.rawValue)'; pass the path of a file instead"
      case .longKey: "passed a key of more than 1,024 bytes to '\(function.rawValue)'"
      case .noBytes: "passed a text with a length but without bytes to '\(function.rawValue)'"
      case .noUTF8(let text): "passed bytes that are not UTF-8 to '\(function.rawValue)': \(text)"
      case .noJSON(let reason): "passed text that is not JSON to '\(function.rawValue)': \(reason)"
      case .noObject: "passed JSON that is not an object to '\(function.rawValue)'"
      case .noError(let reason): "passed an invalid error object to '\(function.rawValue)': \(reason)"
      case .badMember(let member, let reason):
        "passed an object with an invalid \"\(member)\" to '\(function.rawValue)': \(reason)"
      case .noCallback: "called '\(function.rawValue)' without a function to call back"
      case .emptyText: "passed empty text to '\(function.rawValue)', which needs a value"
      case .unknownValue(let value): "called '\(function.rawValue)' with the unknown value \(value)"
      case .wrongKind(let kind): "called '\(function.rawValue)' for \(kind), which has no such function"
      case .mismatch(let reason): "passed a value of the wrong type to '\(function.rawValue)': \(reason)"
      case .endedTwice: "called '\(function.rawValue)' after the instance had ended; an instance can end only once"
      case .beforeStart: "called '\(function.rawValue)' before 'start'; 'create' must only create the instance"
      case .afterDestroy:
        "called '\(function.rawValue)' for a destroyed instance; 'destroy' must stop all work of the instance"
      case .neverWas: "called '\(function.rawValue)' for an instance that never existed"
      case .afterClose: "called '\(function.rawValue)' after it was closed; 'close' must stop all work of the plugin"
      case .noInstance: "returned PENSTOCK_OK from 'create' without an instance"
      }
    }
  }

  var kind: Kind
  var function: HostFunction
}

/// A function of the host that a plugin calls.
enum HostFunction: String, Sendable, Hashable {
  case complete, fail, progress
  case yieldState = "yield_state"
  case yieldError = "yield_error"
  case yieldRerun = "yield_rerun"
  case yieldReset = "yield_reset"
  case leftOut = "left_out"
  case changed, log, timer
  case cancelTimer = "cancel_timer"
  case secret = "secrets.get"
  case value = "workspace.get"
  case setValue = "workspace.set"
  case keys = "workspace.list"
  case readValue = "penstock.values/1"
  case create
}

/// Prevents a plugin that keeps making the same mistake from filling the log.
struct MistakeCounts {
  private struct Key: Hashable {
    var number: Int
    var function: HostFunction
    var offer: Int
  }

  /// How many mistakes of a kind are reported individually.
  static let single = 10

  private var counts: [Key: (count: Int, instance: UInt64)] = [:]

  /// Counts a mistake; returns the count if it is to be reported, otherwise nil.
  ///
  /// At most one per instance is reported: the first ten of a kind, then the hundredth, the thousandth, and so on.
  mutating func count(_ mistake: PluginMistake, offer: Int, instance: UInt64) -> Int? {
    let key = Key(number: mistake.kind.number, function: mistake.function, offer: offer)
    let former = counts[key]
    if let former, instance != 0, former.instance == instance { return nil }
    let count = (former?.count ?? 0) + 1
    counts[key] = (count, instance)
    return Self.isTold(count) ? count : nil
  }

  private var slow: [SlowKey: Int] = [:]

  private struct SlowKey: Hashable {
    var function: PluginFunction
    var offer: Int
  }

  /// The same for a slow call.
  mutating func countSlow(_ function: PluginFunction, offer: Int) -> Int? {
    let count = slow[SlowKey(function: function, offer: offer), default: 0] + 1
    slow[SlowKey(function: function, offer: offer)] = count
    return Self.isTold(count) ? count : nil
  }

  private static func isTold(_ count: Int) -> Bool {
    guard count > single else { return true }
    var power = single * 10
    while power < count { power *= 10 }
    return power == count
  }
}
