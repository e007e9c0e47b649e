import Workspace

/// A small object, of which many are created and compared.
struct Piece: Storable, Equatable {
  var id: String
  var pipeline: String = "p0"
  var attempt: Int = 1
  var exitCode: Int?
  var ticket: String?

  static let id = Field("id", \Piece.id)
  static let pipeline = Field("pipeline", \Piece.pipeline)
  static let attempt = Field("attempt", \Piece.attempt)
  static let exitCode = Field("exit_code", \Piece.exitCode)
  static let ticket = Field("ticket", \Piece.ticket)
  static let schema = ObjectSchema(
    "piece", Piece.init, id, pipeline, attempt, exitCode, ticket, key: id,
    indexes: [.index(pipeline), .index(attempt), .unique(ticket)])
}

/// The expected content of a workspace of pieces, in memory.
struct Model: Equatable, Sendable {
  var pieces: [String: Piece] = [:]

  var all: [Piece] { pieces.values.sorted { $0.id < $1.id } }

  /// Returns the pieces that satisfy the query, in order.
  func found(_ query: Question) -> [Piece] {
    let all = pieces.values.filter(query.matches).sorted { left, right in
      if left.attempt != right.attempt { return (left.attempt < right.attempt) != query.isDescending }
      return left.id < right.id
    }
    return Array(all.dropFirst(query.offset).prefix(query.limit))
  }

  /// Returns whether the ticket belongs to another piece.
  func isTaken(_ ticket: String?, notBy id: String) -> Bool {
    ticket != nil && pieces.values.contains { $0.ticket == ticket && $0.id != id }
  }
}
