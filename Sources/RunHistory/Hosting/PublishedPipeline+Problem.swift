/// What a host reports about a pipeline whose file it cannot use, in sentences from which others derive what is possible with it.
extension PublishedPipeline {
  private static let claim = " have the same pipeline name "
  private static let between = "' and '"
  private static let unattended = "it cannot run by itself: "

  /// Returns the problem of a name that several files, at `paths`, have.
  package static func problem(of paths: [String], claiming name: String) -> String {
    "'\(paths.joined(separator: between))'\(claim)'\(name)'; rename one of them"
  }

  /// The files that have its name if there are several; otherwise empty.
  package var claimants: [String] {
    guard let problem, let end = problem.firstRange(of: "'" + Self.claim) else { return [] }
    return problem[..<end.lowerBound].dropFirst().split(separator: Self.between).map(String.init)
  }

  /// Returns the problem of a pipeline that only a person can start, although its file specifies what starts it.
  package static func problem(ofUnattended reason: String) -> String { unattended + reason }

  /// Whether only a person can start it, although its file specifies what starts it.
  package var isUnattended: Bool { isLoaded && problem?.hasPrefix(Self.unattended) == true }
}
