/// What a host says of a pipeline whose file it cannot use, in sentences by which others know what they may do with it.
extension PublishedPipeline {
  private static let claim = " have the same pipeline name "
  private static let between = "' and '"
  private static let unattended = "it cannot run by itself: "

  /// The problem of a name that the files at `paths`, more than one, have.
  package static func problem(of paths: [String], claiming name: String) -> String {
    "'\(paths.joined(separator: between))'\(claim)'\(name)'; rename one of them"
  }

  /// The files that have its name, where these are more than one; empty else.
  package var claimants: [String] {
    guard let problem, let end = problem.firstRange(of: "'" + Self.claim) else { return [] }
    return problem[..<end.lowerBound].dropFirst().split(separator: Self.between).map(String.init)
  }

  /// The problem of a pipeline that nothing but a person can start, although its file says what starts it.
  package static func problem(ofUnattended reason: String) -> String { unattended + reason }

  /// Whether a person can start it, and nothing else, although its file says what does.
  package var isUnattended: Bool { isLoaded && problem?.hasPrefix(Self.unattended) == true }
}
