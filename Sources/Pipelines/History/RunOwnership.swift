import GRDB
import Workspace

/// Who runs a run, and what becomes of runs whose process is gone.
enum RunOwnership {
  static func claim(_ run: RunID, owner: ProcessIdentity, at time: RecordTime, in db: Database) throws -> RunRecord? {
    nil
  }
}
