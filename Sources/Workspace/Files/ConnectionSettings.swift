import CLibSQLite
import Glibc
import OperatingSystem
import SQLite
import Synchronization

/// The settings of all connections to a workspace.
enum ConnectionSettings {
  /// The default time that a connection waits for another process before it gives up, in seconds.
  static let patience: Double = 30

  static func writer(_ patience: BusyPatience) -> Configuration {
    var configuration = base(patience)
    configuration.prepareDatabase { db in
      // NORMAL: a commit survives the death of the process; a power loss may lose the last commits, but never the file.
      // A log that has grown beyond 16 MiB, four times what it has between two checkpoints, is truncated when it restarts. Without a limit the file would
      // never shrink.
      // The page cache has 6 MiB instead of SQLite's 2: an index by pipeline has a page for each running one, and a host has a thousand. Only what is used
      // is allocated. A reader would not benefit, since it drops its pages after every commit.
      try db.execute(
        sql: """
          PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 16777216;
          PRAGMA cache_size = -6144
          """)
    }
    return configuration
  }

  static func reader(patience: Double) -> Configuration {
    var configuration = base(BusyPatience(seconds: patience))
    configuration.readonly = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  private static func base(_ patience: BusyPatience) -> Configuration {
    var configuration = Configuration()
    configuration.label = "workspace"
    configuration.busy = { tries in
      // SQLite's own handler sleeps up to 100 ms at a time, during which a short transaction elsewhere can begin and end.
      let pause: UInt32 = tries < 10 ? 200 : 2000
      guard patience.allows(another: tries) else { return false }
      usleep(pause)
      return true
    }
    configuration.prepareDatabase { db in
      guard let connection = db.sqliteConnection else { return }
      // The writer's hook replaces the automatic checkpoint. No other connection may ever checkpoint, not even when it is closed.
      _ = penstock_sqlite3_no_checkpoint_on_close(connection)
      sqlite3_wal_autocheckpoint(connection, 0)
    }
    return configuration
  }
}

/// How long a connection waits for others.
final class BusyPatience: Sendable {
  private let nanoseconds: Atomic<Int64>
  /// The start of the current wait, on the monotonic clock.
  private let began = Atomic<Int64>(0)
  private let over = Atomic(false)

  init(seconds: Double) {
    nanoseconds = Atomic(Int64(seconds * 1e9))
  }

  var length: Duration {
    get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
    set {
      nanoseconds.store(
        newValue.components.seconds * 1_000_000_000 + newValue.components.attoseconds / 1_000_000_000,
        ordering: .relaxed)
    }
  }

  /// Returns whether to retry after `tries` attempts. Measured by the clock: pauses of 2 ms take up to 50 % longer.
  func allows(another tries: Int) -> Bool {
    guard !isOver else { return false }
    let now = Self.now()
    if tries == 0 { began.store(now, ordering: .relaxed) }
    return now - began.load(ordering: .relaxed) < nanoseconds.load(ordering: .relaxed)
  }

  /// The monotonic clock, in nanoseconds.
  static func now() -> Int64 { SystemClock.nanoseconds(of: CLOCK_MONOTONIC) }

  /// Whether waiting is currently disabled.
  var isOver: Bool {
    get { over.load(ordering: .relaxed) }
    set { over.store(newValue, ordering: .relaxed) }
  }
}
