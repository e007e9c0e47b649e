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
      case .tooLarge: "gave '\(function.rawValue)' more than 16 MiB; hand over a file's path instead"
      case .longKey: "gave '\(function.rawValue)' a key of more than 1,024 bytes"
      case .noBytes: "gave '\(function.rawValue)' a text with a length but without bytes"
      case .noUTF8(let text): "gave '\(function.rawValue)' bytes that are not UTF-8: \(text)"
      case .noJSON(let reason): "gave '\(function.rawValue)' what is not JSON: \(reason)"
      case .noObject: "gave '\(function.rawValue)' JSON that is not an object"
      case .noError(let reason): "gave '\(function.rawValue)' what is not an error object: \(reason)"
      case .badMember(let member, let reason):
        "gave '\(function.rawValue)' an object with a wrong \"\(member)\": \(reason)"
      case .noCallback: "called '\(function.rawValue)' without a function to call back"
      case .emptyText: "gave '\(function.rawValue)' empty text where a value is needed"
      case .unknownValue(let value): "called '\(function.rawValue)' with \(value), which means nothing there"
      case .wrongKind(let kind): "called '\(function.rawValue)' for \(kind), which has no such function"
      case .mismatch(let reason): "gave '\(function.rawValue)' a value of another type than it describes: \(reason)"
      case .endedTwice: "called '\(function.rawValue)' although the instance had ended; an instance ends once"
      case .beforeStart: "called '\(function.rawValue)' before 'start'; 'create' makes the instance, and that is all"
      case .afterDestroy:
        "called '\(function.rawValue)' for an instance that is destroyed; 'destroy' must end whatever goes on in it"
      case .neverWas: "called '\(function.rawValue)' for an instance that never was"
      case .afterClose: "called '\(function.rawValue)' after it was closed; 'close' must end whatever goes on in it"
      case .noInstance: "answered 'create' with PENSTOCK_OK and no instance"
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
