import SQLite

/// The row operations of a transaction. Objects are passed by address.
extension ChangeContext {
  /// Returns the row with the key of the object, or nil if there is none. If there is one, ``endSelection(_:)`` must follow.
  @usableFromInline
  func select(_ object: UnsafeRawPointer, _ work: RowWork) throws -> RowReader? {
    do {
      let statement = try work.statements.select(work.db)
      row.begin(statement.address)
      try work.code.writeKey(of: object, to: row)
      try row.end()
      do {
        if try statement.step() { return statement.row }
      } catch {
        statement.reset()
        throw error
      }
      statement.reset()
      return nil
    } catch {
      throw cause(of: error, object, work)
    }
  }

  /// Releases the row that was selected last.
  @usableFromInline
  func endSelection(_ work: RowWork) {
    work.statements.endSelection()
  }

  @usableFromInline
  func insertRow(_ object: UnsafeRawPointer, _ work: RowWork) throws {
    do {
      let statement = try work.statements.insert(work.db)
      row.begin(statement.address)
      try work.code.write(object, to: row)
      try row.end()
      try statement.run()
    } catch {
      throw preferringKey(cause(of: error, object, work), object, work)
    }
  }

  /// Updates the columns that differ, and returns their mask.
  @usableFromInline
  func updateRow(_ old: UnsafeRawPointer, to new: UnsafeRawPointer, _ work: RowWork) throws -> UInt64 {
    let mask = work.code.changes(from: old, to: new)
    if mask == 0 { return 0 }
    do {
      let statement = try work.statements.update(mask, work.db)
      row.begin(statement.address)
      try work.code.write(new, mask, to: row)
      try work.code.writeKey(of: old, to: row)
      try row.end()
      try statement.run()
    } catch {
      let error = cause(of: error, new, work)
      throw mask & work.code.keyMask == 0 ? error : preferringKey(error, new, work)
    }
    return mask
  }

  @usableFromInline
  func deleteRow(_ object: UnsafeRawPointer, _ work: RowWork) throws -> ObjectKey {
    do {
      let statement = try work.statements.delete(work.db)
      row.begin(statement.address)
      try work.code.writeKey(of: object, to: row)
      try row.end()
      try statement.run()
    } catch {
      throw cause(of: error, object, work)
    }
    guard work.db.changesCount > 0 else { throw missing(object, work) }
    return try work.code.key(of: object)
  }

  /// Returns the error for an object whose key does not exist.
  @usableFromInline
  func missing(_ object: UnsafeRawPointer, _ work: RowWork) -> ChangeError {
    ChangeError(table: work.code.table.name, key: try? work.code.key(of: object), cause: .missing)
  }

  /// Returns the error for a row that cannot be decoded as the type.
  @usableFromInline
  func unreadable(_ row: any Error, _ object: UnsafeRawPointer, _ work: RowWork) -> ChangeError {
    cause(of: row, object, work)
  }

  /// If both a key and a unique value are taken, SQLite reports either, depending on the table; this always reports the key.
  private func preferringKey(_ error: ChangeError, _ object: UnsafeRawPointer, _ work: RowWork) -> ChangeError {
    guard case .valueTaken = error.cause, (try? select(object, work)) != nil else { return error }
    endSelection(work)
    return ChangeError(table: error.table, key: error.key, cause: .keyTaken)
  }

  private func cause(of error: any Error, _ object: UnsafeRawPointer, _ work: RowWork) -> ChangeError {
    cause(of: error, work.code.table, try? work.code.key(of: object), work.db)
  }

  /// Converts SQLite's error to its cause, and records it if it loses the transaction.
  func cause(of error: any Error, _ table: TableDescription, _ key: ObjectKey?, _ db: Database) -> ChangeError {
    if let error = error as? ChangeError { return error }
    let error = ChangeError(table: table.name, key: key, cause: cause(of: error, in: table, db))
    if error.endsTransaction { lose(error) }
    return error
  }

  private func cause(of error: any Error, in table: TableDescription, _ db: Database) -> ChangeError.Cause {
    if let exhaustion = WorkspaceError.exhaustion(error, on: db, path: path) { return .workspace(exhaustion) }
    if let value = error as? UnsuitableValue { return .constraint(message: value.reason) }
    guard let error = error as? DatabaseError else { return .workspace(WorkspaceError(reading: error, path: path)) }
    let message = error.message ?? "constraint failed"
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: return .keyTaken
    case .SQLITE_CONSTRAINT_UNIQUE:
      // "UNIQUE constraint failed: job.pipeline, job.step"
      let fields = message.split(separator: ": ").last.map { $0.split(separator: ", ") } ?? []
      let names = fields.map { String($0.split(separator: ".").last ?? $0) }
      return names == table.key ? .keyTaken : .valueTaken(fields: names)
    default: break
    }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_ERROR, .SQLITE_RANGE:
      return .constraint(message: message)
    default: return .workspace(WorkspaceError(error, path: path))
    }
  }
}
