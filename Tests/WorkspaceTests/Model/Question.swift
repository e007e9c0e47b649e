import Workspace

/// A query in two forms, for the workspace and for the model.
struct Question: Sendable {
  var condition: Condition<Piece>
  var matches: @Sendable (Piece) -> Bool
  var isDescending = false
  var limit = 1000
  var offset = 0

  func ask(_ fetch: Fetch<Piece>) throws -> FetchedResult<Piece> {
    try fetch.where(
      condition, limit: .limit(limit), offset: offset,
      orderBy: [isDescending ? Piece.attempt.descending : Piece.attempt.ascending])
  }

  static func random(_ random: inout SeededRandom) -> Question {
    var question = simple(&random)
    if Bool.random(using: &random) {
      let other = simple(&random)
      let first = question
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        question = Question(condition: first.condition && other.condition) { first.matches($0) && other.matches($0) }
      case 1:
        question = Question(condition: first.condition || other.condition) { first.matches($0) || other.matches($0) }
      default:
        question = Question(condition: first.condition && !other.condition) { first.matches($0) && !other.matches($0) }
      }
    }
    question.isDescending = Bool.random(using: &random)
    if Bool.random(using: &random) { question.limit = Int.random(in: 0...4, using: &random) }
    if Bool.random(using: &random) { question.offset = Int.random(in: 0...3, using: &random) }
    return question
  }

  private static func simple(_ random: inout SeededRandom) -> Question {
    let number = Int.random(in: 0...9, using: &random)
    let text = "\(Int.random(in: 0...3, using: &random))"
    switch Int.random(in: 0...9, using: &random) {
    case 0: return Question(condition: Piece.attempt == number) { $0.attempt == number }
    case 1: return Question(condition: Piece.attempt > number) { $0.attempt > number }
    case 2:
      return Question(condition: Piece.attempt.between(number, number + 3)) {
        (number...number + 3).contains($0.attempt)
      }
    case 3: return Question(condition: Piece.pipeline == "p" + text) { $0.pipeline == "p" + text }
    case 4: return Question(condition: Piece.pipeline.hasPrefix("p" + text)) { $0.pipeline.hasPrefix("p" + text) }
    case 5: return Question(condition: Piece.id.contains(text)) { $0.id.contains(text) }
    case 6: return Question(condition: Piece.exitCode == nil) { $0.exitCode == nil }
    case 7: return Question(condition: Piece.exitCode != number) { $0.exitCode != number }
    case 8:
      return Question(condition: Piece.attempt.in([number, number + 1])) { [number, number + 1].contains($0.attempt) }
    default: return Question(condition: Piece.attempt <= number) { $0.attempt <= number }
    }
  }
}
