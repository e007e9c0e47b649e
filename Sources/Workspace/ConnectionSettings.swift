import CLibSQLite
import GRDB
import Glibc

/// How every connection to a workspace is set up.
enum ConnectionSettings {
  /// How long a connection waits for another process before it gives up.
  static let busyTimeout: Double = 30

  static func writer() -> Configuration {
    var configuration = base()
    configuration.prepareDatabase { db in
      // NORMAL: a commit survives the death of the process; a power cut may take the last commits, never the file.
      try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  static func reader() -> Configuration {
    var configuration = base()
    configuration.readonly = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// A reader whose transaction may last longer than one access: a snapshot.
  static func lentReader() -> Configuration {
    var configuration = reader()
    configuration.allowsUnsafeTransactions = true
    return configuration
  }

  private static func base() -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "workspace"
    configuration.busyMode = .callback { tries in
      // SQLite's own handler sleeps up to 100 ms a time, during which a short transaction elsewhere comes and goes.
      let pause: UInt32 = tries < 10 ? 200 : 2000
      guard Double(max(0, tries - 10)) * 0.002 < busyTimeout else { return false }
      usleep(pause)
      return true
    }
    configuration.prepareDatabase { db in
      guard let connection = db.sqliteConnection else { return }
      // The writer's hook replaces the automatic checkpoint; no other connection may ever checkpoint, not even at its end.
      _ = penstock_sqlite3_no_checkpoint_on_close(connection)
      sqlite3_wal_autocheckpoint(connection, 0)
    }
    return configuration
  }
}
