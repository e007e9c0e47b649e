/// Finds what a misspelt name was probably meant to be.
///
/// The distance of two names is the number of insertions, deletions, replacements and swaps of neighbours that turn one into
/// the other (optimal string alignment), letter case aside. Up to a third of the name's length, and at least one, is near.
public struct NearestName: Sendable {
  private struct Candidate {
    let name: String
    let letters: [UInt32]
    /// One bit for each letter that occurs (letters share bits): names whose bits differ much are far apart.
    let signature: UInt64
  }

  /// Longer names are not compared: nobody wrote them by hand, and the effort grows with the square.
  private static let longest = 100

  private let candidates: [Candidate]

  /// Prepares `names` for many questions. For a single one use ``suggestion(for:among:)``.
  public init(_ names: some Sequence<String>) {
    candidates = names.compactMap { name in
      guard name.utf8.count <= 4 * Self.longest else { return nil }
      let letters = Self.letters(of: name)
      return Candidate(name: name, letters: letters, signature: Self.signature(of: letters))
    }
  }

  /// The name in `names` nearest to `name`, or nil when none is near enough. Of names equally near, one that differs in
  /// letter case alone comes first, then the first by the alphabet.
  public static func suggestion(for name: String, among names: some Sequence<String>) -> String? {
    NearestName(names).suggestion(for: name)
  }

  /// The prepared name nearest to `name`, or nil when none is near enough.
  public func suggestion(for name: String) -> String? {
    guard name.utf8.count <= 4 * Self.longest else { return nil }
    let letters = Self.letters(of: name)
    let signature = Self.signature(of: letters)
    var limit = max(1, letters.count / 3)
    var best: String?
    var rows = AlignmentRows(width: letters.count + limit)
    for candidate in candidates where candidate.name != name {
      guard abs(candidate.letters.count - letters.count) <= limit,
        // A replacement changes two bits, everything else one at most.
        (candidate.signature ^ signature).nonzeroBitCount <= 2 * limit,
        let distance = rows.distance(letters, candidate.letters, limit: limit),
        distance < max(letters.count, candidate.letters.count)
      else { continue }
      if distance < limit || best.map({ candidate.name < $0 }) ?? true {
        best = candidate.name
      }
      limit = distance
    }
    return best
  }

  private static func letters(of name: String) -> [UInt32] {
    name.lowercased().unicodeScalars.map(\.value)
  }

  private static func signature(of letters: [UInt32]) -> UInt64 {
    letters.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }
}

/// The three rows of the alignment table that are needed at a time.
private struct AlignmentRows {
  private var beforeLast: [Int]
  private var last: [Int]
  private var current: [Int]

  init(width: Int) {
    beforeLast = Array(repeating: 0, count: width + 1)
    last = beforeLast
    current = beforeLast
  }

  /// The distance of `left` and `right` if it is at most `limit`.
  mutating func distance(_ left: [UInt32], _ right: [UInt32], limit: Int) -> Int? {
    for column in 0...right.count { last[column] = column }
    for row in 0..<left.count {
      current[0] = row + 1
      var least = row + 1
      for column in 0..<right.count {
        var cost = last[column] + (left[row] == right[column] ? 0 : 1)
        cost = min(cost, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current[column + 1] = cost
        least = min(least, cost)
      }
      // What comes later is at least this row's least, or by a swap one more than the least of the row before, which
      // is at most one less.
      if least > limit + 1 { return nil }
      swap(&beforeLast, &last)
      swap(&last, &current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}
