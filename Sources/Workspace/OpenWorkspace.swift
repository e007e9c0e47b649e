// # Workspace
//
// A directory with a transactional database that several processes on one computer share: typed errors, one writer connection per workspace object, group
// commits, leases; and a typed object store with transactions, queries, snapshots and subscriptions. Its landing page (`Workspace.docc/Workspace.md`) says
// what it must never know, what to read first, and what the folders are.

import Dispatch
import SQLite
import Synchronization

/// An open workspace: the database `workspace.db` in its own directory.
///
/// All methods may be called from any thread. Reads and writes run on two connections, which are opened when first needed: a read never waits for a write
/// of this or another process, and sees everything that was committed before it began.
///
/// The directory contains `workspace.db` with SQLite's `-wal` and `-shm` beside it, `workspace.lock` (see `WriteLock`), and `workspace.hosts` (see
/// `HostLock`), all readable and writable only by their owner.
public final class OpenWorkspace: Sendable {
  /// What a workspace is opened for.
  public enum Mode: Sendable {
    /// Creates missing files. Falls back to read-only, with ``OpenWorkspace/isReadOnly`` set, if writing is not permitted.
    case readWrite
    /// Creates and changes nothing.
    case readOnly
  }

  /// The connection with which a workspace is opened. Each one reads the whole schema, so a short-lived program should begin with the one that it needs;
  /// the other is opened when first needed.
  public enum FirstConnection: Sendable {
    case reader
    /// For a program that is going to write. If that is not permitted, the reader is opened instead.
    case writer
    /// For a program that reads a little, writes, and ends: like `writer`, and read transactions on the caller's thread also run on that connection, while
    /// nothing is being written on it.
    case onlyWriter
  }

  struct Connections {
    var reader: DatabaseQueue?
    var writer: WriterConnection?
    var foreignChanges: ForeignChanges?
    var isClosed = false
  }

  let files: WorkspaceFiles
  /// The absolute path of the directory.
  public var directory: String { files.directory }
  /// Whether all writes fail with ``WorkspaceError/readOnly(path:)``.
  public let isReadOnly: Bool
  private let schema: WorkspaceSchema
  /// Whether reads run on the connection for writing, as long as it is the only one.
  private let readsWithWriter: Bool
  let connections: Mutex<Connections>
  let objects: ObjectCatalog
  let readers: ReaderPool
  let feed: ChangeFeed
  /// Calls completion handlers, one after the other, so that a slow one delays only other completion handlers.
  let completions = DispatchQueue(label: "workspace.completions")
  let ending = WorkspaceEnding()

  /// The absolute path of the database file.
  public var path: String { files.database }
  private init(
    files: WorkspaceFiles, schema: WorkspaceSchema, isReadOnly: Bool, readsWithWriter: Bool = false,
    connections: consuming Connections
  ) {
    self.files = files
    self.readsWithWriter = readsWithWriter
    self.schema = schema
    self.isReadOnly = isReadOnly
    self.connections = Mutex(connections)
    objects = ObjectCatalog(schema.objects + schema.mapped + [StoredLease.self])
    readers = ReaderPool(files: files)
    feed = ChangeFeed(readers: readers)
    self.connections.withLock { $0.writer }?.whenLogIsLong { [readers] in readers.expireSnapshots() }
    feed.whenFirstWatched { [weak self] in _ = self?.foreignChanges() }
  }

  deinit {
    let open = takeConnections()
    feed.end {}
    readers.close {}
    open?.foreignChanges?.stop()
  }

  /// Opens the workspace in a directory. In mode `.readWrite`, creates it (and the directories above it) if there is none.
  ///
  /// Pending migrations run in one transaction. A file of a newer version, or of another program, is refused and not changed. With a guarded schema
  /// (``WorkspaceSchema/isGuarded``) in mode `.readWrite`, so is a file of another user, or one with a foreign trigger, view, index or table.
  ///
  /// - Parameters:
  ///   - directory: The directory of the workspace.
  ///   - schema: The schema of the workspace.
  ///   - mode: What it is opened for.
  ///   - first: The connection to open now, in mode `.readWrite`. Defaults to ``FirstConnection/reader``.
  ///   - patience: How long operations that need the file exclusively wait for other processes, before they fail with ``WorkspaceError/locked(path:)``.
  ///     Defaults to 30 s.
  ///   - durability: What flushes to the disk wait for. Defaults to ``Durability/powerLoss``; other commits never wait for the disk.
  /// - Returns: The workspace.
  /// - Throws: ``WorkspaceError``.
  public static func open(
    at directory: String, schema: WorkspaceSchema, mode: Mode, first: FirstConnection = .reader,
    patience: Duration = .seconds(30), durability: Durability = .powerLoss
  ) throws(WorkspaceError) -> OpenWorkspace {
    let files = WorkspaceFiles(
      directory: directory, patience: patience / .seconds(1), durability: durability)
    var isReadOnly = mode == .readOnly
    var isNew = false
    try files.requireRegularFiles()
    if !isReadOnly {
      isNew = try files.createMissing(
        from: schema.template, guarding: schema.isGuarded ? schema.folders : nil)
      isReadOnly = !files.isWritable
      if schema.isGuarded, !isNew, !isReadOnly { try files.requireOwn(schema.folders) }
    } else if try !files.exists() {
      throw .notAWorkspace(path: files.directory, reason: "there is no workspace.db in it")
    }
    do {
      let upgrade = SchemaUpgrade(schema: schema, path: files.database)
      // The writer creates its lock file. A file that may be another program's database is therefore checked first, so that nothing is created beside it.
      if !isNew, isReadOnly || first == .reader || !files.hasLock {
        let reader = try files.openReader()
        if !isReadOnly { try reader.unsafeRead(upgrade.requireOwnSchema) }
        if try reader.unsafeRead(upgrade.isCurrent) {
          let workspace = OpenWorkspace(
            files: files, schema: schema, isReadOnly: isReadOnly,
            connections: Connections(reader: reader))
          try workspace.buildIndexes(upgrade.pendingIndexes(reader.unsafeRead))
          return workspace
        }
        try reader.close()
        guard !isReadOnly else { throw WorkspaceError.readOnly(path: files.database) }
      }
      let writer = try WriterConnection(files: files)
      if !isNew { try writer.prepare(upgrade.requireOwnSchema) }
      if try isNew || !writer.prepare(upgrade.isCurrent) { try writer.prepare(upgrade) }
      let workspace = OpenWorkspace(
        files: files, schema: schema, isReadOnly: false, readsWithWriter: first == .onlyWriter,
        connections: Connections(writer: writer))
      try workspace.buildIndexes(upgrade.pendingIndexes { try writer.prepare($0) })
      return workspace
    } catch {
      throw WorkspaceError(error, path: files.database)
    }
  }

  /// Checks a directory as ``open(at:schema:mode:first:patience:durability:)`` does for writing, and changes nothing. If there is no
  /// workspace yet, creating one must be permitted.
  ///
  /// - Throws: The error with which opening would fail.
  package static func requireWritable(at directory: String, schema: WorkspaceSchema) throws(WorkspaceError) {
    let files = WorkspaceFiles(directory: directory, patience: 1, durability: .process)
    try files.requireRegularFiles()
    guard try files.exists() else {
      return try files.requireCreatable(guarding: schema.isGuarded ? schema.folders : nil)
    }
    if schema.isGuarded, files.isWritable { try files.requireOwn(schema.folders) }
    do {
      let upgrade = SchemaUpgrade(schema: schema, path: files.database)
      let reader = try files.openReader()
      if files.isWritable { try reader.unsafeRead(upgrade.requireOwnSchema) }
      _ = try reader.unsafeRead(upgrade.isCurrent)
      try reader.close()
    } catch {
      throw WorkspaceError(error, path: files.database)
    }
    guard files.isWritable else { throw .readOnly(path: files.database) }
  }

  /// What another user could change in the workspace, and why; empty if it may be written.
  package var foreignFiles: [(path: String, reason: String)] { files.foreign(schema.folders) }

  /// Closes both connections once their current work has finished, and shortens the write-ahead log unless it is in use.
  ///
  /// Later calls of other methods fail with ``WorkspaceError/closed(path:)``. Closing twice does nothing.
  public func close() {
    guard let open = takeConnections() else { return }
    open.foreignChanges?.stop()
    try? open.reader?.close()
    open.writer?.close()
    feed.end {}
    readers.close {}
    ending.finish()
  }

  /// Does only the part of ``close()`` that helps the next process: shortens the write-ahead log if it is long and not in use. For a program that ends
  /// now, and its connections with it.
  public func settle() {
    connections.withLock { $0.writer }?.settle()
  }

  /// Marks the workspace as closed and returns its connections; nil if it was already closed.
  func takeConnections() -> Connections? {
    connections.withLock { state in
      if state.isClosed { return nil }
      defer { state = Connections(isClosed: true) }
      return state
    }
  }

  /// Whether the workspace was closed or shut down.
  var isClosed: Bool { connections.withLock(\.isClosed) }

  /// Runs `body` in a read transaction, so that it sees one state of the database throughout.
  ///
  /// Errors of SQLite become ``WorkspaceError``; other errors thrown by `body` are rethrown.
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    do {
      if readsWithWriter, let writer = onlyWriter, !writer.isInside {
        return try writer.read(body)
      }
      return try reader().read(body)
    } catch let error as DatabaseError {
      throw WorkspaceError(error, path: path)
    }
  }

  /// Runs `body`, a single query, on an already open connection: if that is only the one for writing, it waits for what is being written. For a program
  /// that reads once and writes much, see ``FirstConnection/writer``.
  ///
  /// Errors of SQLite become ``WorkspaceError``; other errors thrown by `body` are rethrown.
  public func readWithoutOpening<T>(_ body: (Database) throws -> T) throws -> T {
    guard let writer = onlyWriter else { return try read(body) }
    do {
      return try writer.prepare(body)
    } catch let error as DatabaseError {
      throw WorkspaceError(error, path: path)
    }
  }

  /// Runs `body` in a read transaction without blocking the caller's thread. Cancelling the task does not stop it.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    let reader = try reader()
    let path = path
    return try await withCheckedThrowingContinuation { continuation in
      reader.asyncRead(body) { continuation.resume(with: $0.mapErrors(path: path)) }
    }
  }

  /// Runs `body` in its own write transaction, which is committed when it returns and rolled back when it throws.
  ///
  /// Errors of SQLite become ``WorkspaceError``; other errors thrown by `body` are rethrown. If `types` names the types whose objects are changed, only
  /// their subscribers check for changes afterwards; otherwise all do, since it is unknown what SQL has changed.
  public func write<T>(
    changing types: @autoclosure () -> ChangedTypes? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    do {
      let result = try writer().write(body)
      if feed.isWatched {
        feed.publish(types().map { CommitRecord(types: $0.whole, parts: $0.parts) } ?? .unknown)
      }
      return result
    } catch let error as DatabaseError {
      throw WorkspaceError(error, path: path)
    }
  }

  /// Runs `body` in a write transaction without blocking the caller's thread. Cancelling the task does not stop it.
  public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    let writer = try writer()
    let path = path
    let feed = feed
    return try await withCheckedThrowingContinuation { continuation in
      writer.asyncWrite(body) { result in
        if case .success = result { feed.publish(.unknown) }
        continuation.resume(with: result.mapErrors(path: path))
      }
    }
  }

  /// The connection for writing, if it is the only one open.
  private var onlyWriter: WriterConnection? { connections.withLock { $0.reader == nil ? $0.writer : nil } }

  func writer() throws(WorkspaceError) -> WriterConnection {
    guard !isReadOnly else { throw .readOnly(path: path) }
    let known: Result<WriterConnection?, WorkspaceError> = connections.withLock { state in
      state.isClosed ? .failure(.closed(path: path)) : .success(state.writer)
    }
    if let writer = try known.get() { return writer }
    return try open(
      \.writer,
      with: {
        let opened = try WriterConnection(files: files)
        opened.whenLogIsLong { [readers] in readers.expireSnapshots() }
        return opened
      }, closing: { $0.close() })
  }

  /// Opens the connection for writing, and lets `body` prepare it. Errors are ignored, since the first write reports them again.
  func prepareForWriting(_ body: (Database) throws -> Void) {
    try? writer().prepare(body)
  }

  /// Checkpoints the log in a writer's idle time.
  func shortenLogAtLeisure() {
    connections.withLock { $0.writer }?.shortenLogAtLeisure()
  }

  /// The observer of other processes' changes, which starts with the first call; nil if the workspace is closed.
  func foreignChanges() -> ForeignChanges? {
    let (known, isClosed) = connections.withLock { ($0.foreignChanges, $0.isClosed) }
    if known != nil || isClosed { return known }
    let check: @Sendable () -> Void
    if isReadOnly {
      guard let reader = try? files.openReader() else { return nil }
      let version = Mutex<Int?>(nil)
      check = { [feed] in
        let found = try? reader.unsafeRead { try Int.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) }
        let known = version.withLock { version in
          defer { version = found }
          return version
        }
        if known != found { feed.publish(.unknown) }
      }
    } else {
      check = { [weak self, feed] in
        if let writer = try? self?.writer(), writer.hasForeignChanges() { feed.publish(.unknown) }
      }
    }
    let watch = ForeignChanges(directory: directory, check: check)
    let kept: ForeignChanges? = connections.withLock { state in
      if !state.isClosed && state.foreignChanges == nil { state.foreignChanges = watch }
      return state.foreignChanges
    }
    if kept === watch { watch.start() }
    return kept
  }

  /// Builds indexes in the background, each in its own transaction. Until an index exists, queries do without it; changes wait for its transaction, so
  /// that it is complete.
  private func buildIndexes(_ statements: [String]) throws {
    guard !statements.isEmpty, !isReadOnly else { return }
    let writer = try writer()
    for sql in statements {
      // If this fails, it is retried the next time the workspace is opened.
      writer.asyncWrite {
        try $0.execute(sql: sql)
      } completion: { _ in
      }
    }
  }

  private func reader() throws(WorkspaceError) -> DatabaseQueue {
    let known: Result<DatabaseQueue?, WorkspaceError> = connections.withLock { state in
      state.isClosed ? .failure(.closed(path: path)) : .success(state.reader)
    }
    if let reader = try known.get() { return reader }
    return try open(\.reader, with: { try files.openReader() }, closing: { try? $0.close() })
  }

  /// Opens a missing connection. This does not hold the lock, so that users of the other connection need not wait; if two are opened concurrently, one is
  /// kept.
  private func open<Connection: Sendable>(
    _ place: WritableKeyPath<Connections, Connection?>, with body: () throws -> Connection,
    closing close: (Connection) -> Void
  ) throws(WorkspaceError) -> Connection {
    let opened: Connection
    do {
      opened = try body()
    } catch {
      throw WorkspaceError(error, path: path)
    }
    let (kept, surplus): (Connection?, Connection?) = connections.withLock { state in
      if state.isClosed { return (nil, opened) }
      if let known = state[keyPath: place] { return (known, opened) }
      state[keyPath: place] = opened
      return (opened, nil)
    }
    if let surplus { close(surplus) }
    guard let kept else { throw .closed(path: path) }
    return kept
  }
}

extension Result where Failure == any Error {
  fileprivate func mapErrors(path: String) -> Self {
    mapError { $0 is DatabaseError ? WorkspaceError($0, path: path) : $0 }
  }
}
