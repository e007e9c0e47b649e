/// Finds the name that a misspelt name was probably meant to be.
///
/// The distance between two names is the number of insertions, deletions, replacements and swaps of neighbouring letters that turn one into
/// the other (optimal string alignment), ignoring case. A name is near if its distance is at most a third of the length, and at least one.
public struct NearestName: Sendable {
  private struct Candidate {
    let name: String
    let letters: [UInt32]
    /// One bit for each letter that occurs, with letters sharing bits: names whose bits differ a lot are far apart.
    let signature: UInt64
  }

  /// The length above which names are not compared: nobody types longer ones by hand, and the cost is quadratic.
  private static let longest = 100

  private let candidates: [Candidate]

  /// Prepares `names` for many lookups. For a single one use ``suggestion(for:among:)``.
  public init(_ names: some Sequence<String>) {
    candidates = names.compactMap { name in
      guard name.utf8.count <= 4 * Self.longest else { return nil }
      let letters = Self.letters(of: name)
      return Candidate(name: name, letters: letters, signature: Self.signature(of: letters))
    }
  }

  /// Returns the name in `names` nearest to `name`, or nil if none is near enough. Among equally near names, one that
  /// differs only in case comes first, then the first in alphabetical order.
  public static func suggestion(for name: String, among names: some Sequence<String>) -> String? {
    NearestName(names).suggestion(for: name)
  }

  /// Returns the prepared name nearest to `name`, or nil if none is near enough.
  public func suggestion(for name: String) -> String? {
    guard name.utf8.count <= 4 * Self.longest else { return nil }
    let letters = Self.letters(of: name)
    let signature = Self.signature(of: letters)
    var limit = max(1, letters.count / 3)
    var best: String?
    var rows = AlignmentRows(width: letters.count + limit)
    for candidate in candidates where candidate.name != name {
      guard abs(candidate.letters.count - letters.count) <= limit,
        // A replacement changes two bits, any other edit at most one.
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

/// The three rows of the alignment table that are needed at any time.
private struct AlignmentRows {
  private var beforeLast: [Int]
  private var last: [Int]
  private var current: [Int]

  init(width: Int) {
    beforeLast = Array(repeating: 0, count: width + 1)
    last = beforeLast
    current = beforeLast
  }

  /// Returns the distance between `left` and `right` if it is at most `limit`, otherwise nil.
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
      // Later rows cost at least this row's minimum or, after a swap, one more than the previous row's, which is at
      // most one lower.
      if least > limit + 1 { return nil }
      swap(&beforeLast, &last)
      swap(&last, &current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}
