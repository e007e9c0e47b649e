import ArgumentParser
import Glibc
import RunHistory
import Values

struct HistoryVacuum: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum",
    abstract: "Shrink the database after runs were deleted",
    discussion: """
      Later runs use the space that deleted runs leave in the database; this command returns it to the file \
      system. It needs as much free disk space as the database takes up, and blocks active runs while it works: \
      use it when none is active.

        penstock history prune --older-than 90d && penstock history vacuum
      """)

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory(writing: true)
    let before = size(of: history.workspace.path)
    try history.workspace.vacuum()
    let after = size(of: history.workspace.path)
    shared.output.confirm(["bytes_before": .int(before), "bytes_after": .int(after)]) {
      TextOutput.standard.writeLine(
        "The database shrank from \(SizeNotation.format(before)) to \(SizeNotation.format(after)).")
    }
  }

  /// Returns the size of the database and its write-ahead log, in bytes.
  private func size(of path: String) -> Int64 {
    ["", "-wal"].reduce(0) { total, suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? total + Int64(status.st_size) : total
    }
  }
}
