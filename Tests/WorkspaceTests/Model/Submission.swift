import Workspace

/// A submission to both a workspace and a model.
enum Submission {
  /// Makes the same change to both. Returns its name, and any difference.
  static func submit(
    to context: ChangeContext, _ model: inout Model, _ random: inout SeededRandom
  ) throws -> (String, String?) {
    let id = "j\(Int.random(in: 0..<30, using: &random))"
    var piece = Piece(
      id: id, pipeline: "p\(Int.random(in: 0...3, using: &random))", attempt: Int.random(in: 0...9, using: &random))
    piece.exitCode = Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : nil
    piece.ticket = Int.random(in: 0..<3, using: &random) == 0 ? "t\(Int.random(in: 0..<12, using: &random))" : nil
    let old = model.pieces[id]
    func outcome(_ request: ChangeRequest<Piece>) throws -> ChangeError.Cause? {
      do {
        try context.submit(request)
        return nil
      } catch let error as ChangeError {
        return error.cause
      }
    }
    let expected: ChangeError.Cause?
    let found: ChangeError.Cause?
    let name: String
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      name = "creation"
      expected = old != nil ? .keyTaken : model.isTaken(piece.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      found = try outcome(Piece.creationRequest(piece))
      if expected == nil { model.pieces[id] = piece }
    case 3:
      name = "change"
      expected = old == nil ? .missing : model.isTaken(piece.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      let (attempt, ticket) = (piece.attempt, piece.ticket)
      found = try outcome(Piece.changeRequest(Piece(id: id)) { ($0.attempt, $0.ticket) = (attempt, ticket) })
      if expected == nil {
        model.pieces[id]?.attempt = attempt
        model.pieces[id]?.ticket = ticket
      }
    case 4:
      name = "upsert"
      expected = model.isTaken(piece.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      found = try outcome(Piece.upsertRequest(piece))
      if expected == nil { model.pieces[id] = piece }
    case 5:
      name = "deletion"
      expected = old == nil ? .missing : nil
      found = try outcome(Piece.deletionRequest(piece))
      model.pieces[id] = nil
    case 6:
      name = "change of key"
      let new = "j\(Int.random(in: 0..<30, using: &random))"
      expected = old == nil ? .missing : new != id && model.pieces[new] != nil ? .keyTaken : nil
      found = try outcome(Piece.changeRequest(Piece(id: id)) { $0.id = new })
      if expected == nil, var moved = model.pieces.removeValue(forKey: id) {
        moved.id = new
        model.pieces[new] = moved
      }
    default:
      name = "by query"
      expected = nil
      let question = Question.random(&random)
      let ids = model.pieces.values.filter(question.matches).map(\.id)
      let isDeletion = Int.random(in: 0..<4, using: &random) == 0
      let count =
        isDeletion
        ? try context.delete(Piece.self, where: question.condition)
        : try context.update(
          Piece.self, set: [Piece.attempt.set(piece.attempt), Piece.exitCode.set(3)], where: question.condition)
      found = count == ids.count ? nil : .constraint(message: "\(count) rows and not \(ids.count)")
      for id in ids {
        if isDeletion {
          model.pieces[id] = nil
        } else {
          model.pieces[id]?.attempt = piece.attempt
          model.pieces[id]?.exitCode = 3
        }
      }
    }
    return (name, found == expected ? nil : "\(String(describing: found)) and not \(String(describing: expected))")
  }
}
