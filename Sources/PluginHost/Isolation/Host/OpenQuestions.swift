import DequeModule
import Values

/// What a child asked of its host's services and has no answer to yet.
///
/// A few questions are answered at a time, the others wait, so that neither many of them nor large values nor a child that reads none of the
/// answers can make the host use more memory than is said here.
struct OpenQuestions {
  struct Question: Sendable {
    var number: UInt64
    var question: ServiceRequest.Question
    var access: PluginAccess
  }

  /// How many are answered at a time.
  static let mostRunning = 16
  /// How many may wait.
  static let mostWaiting = 16_384
  /// How many bytes of those that wait may be values.
  static let mostBytes = 64 << 20

  private var waiting: Deque<Question> = []
  private var bytes = 0
  private var running = 0

  /// Takes a question.
  ///
  /// - Returns: Whether there was room for it.
  mutating func add(_ question: Question) -> Bool {
    let size = question.question.size
    guard waiting.count < Self.mostWaiting, bytes + size <= Self.mostBytes else { return false }
    waiting.append(question)
    bytes += size
    return true
  }

  /// The next one to be answered, where there is one and its turn has come.
  mutating func next() -> Question? {
    guard running < Self.mostRunning, let question = waiting.popFirst() else { return nil }
    bytes -= question.question.size
    running += 1
    return question
  }

  /// One was answered.
  mutating func answered() { running -= 1 }
}

extension ServiceRequest.Question {
  /// About how many bytes of memory it needs.
  var size: Int {
    switch self {
    case .secret(let text), .value(let text), .keys(let text): text.utf8.count
    case .set(let key, let value): key.utf8.count + (value?.size ?? 0)
    }
  }
}

extension JSONValue {
  /// About how many bytes of memory it needs.
  fileprivate var size: Int {
    switch self {
    case .null, .bool, .int, .double: 32
    case .string(let text): 32 + text.utf8.count
    case .array(let elements): elements.reduce(32) { $0 + $1.size }
    case .object(let members): members.reduce(32) { $0 + 64 + $1.key.utf8.count + $1.value.size }
    }
  }
}
