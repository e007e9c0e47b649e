import DequeModule
import Values

/// A child's unanswered questions to its host's services.
///
/// A few questions are answered at a time and the others wait, so that neither their number, nor large values, nor a child that does not read the
/// answers can make the host use more memory than the limits allow.
struct OpenQuestions {
  struct Question: Sendable {
    var number: UInt64
    var question: ServiceRequest.Question
    var access: PluginAccess
  }

  /// The maximum number of questions being answered.
  static let mostRunning = 16
  /// The maximum number of waiting questions.
  static let mostWaiting = 16_384
  /// The maximum size of the waiting questions, in bytes.
  static let mostBytes = 64 << 20

  private var waiting: Deque<Question> = []
  private var bytes = 0
  private var running = 0

  /// Adds a question.
  ///
  /// - Returns: Whether there was room for it.
  mutating func add(_ question: Question) -> Bool {
    let size = question.question.size
    guard waiting.count < Self.mostWaiting, bytes + size <= Self.mostBytes else { return false }
    waiting.append(question)
    bytes += size
    return true
  }

  /// Removes and returns the next question to be answered, if there is one and the limit allows it.
  mutating func next() -> Question? {
    guard running < Self.mostRunning, let question = waiting.popFirst() else { return nil }
    bytes -= question.question.size
    running += 1
    return question
  }

  /// Notes that a question was answered.
  mutating func answered() { running -= 1 }
}

extension ServiceRequest.Question {
  /// The approximate memory that it needs, in bytes.
  var size: Int {
    switch self {
    case .secret(let text), .value(let text), .keys(let text): text.utf8.count
    case .set(let key, let value): key.utf8.count + (value?.size ?? 0)
    }
  }
}

extension JSONValue {
  /// The approximate memory that it needs, in bytes.
  fileprivate var size: Int {
    switch self {
    case .null, .bool, .int, .double: 32
    case .string(let text): 32 + text.utf8.count
    case .array(let elements): elements.reduce(32) { $0 + $1.size }
    case .object(let members): members.reduce(32) { $0 + 64 + $1.key.utf8.count + $1.value.size }
    }
  }
}
