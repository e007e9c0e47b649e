import SQLite

/// The transactions of the writer's thread. Nothing here touches state guarded by the lock.
extension OrderedWriterCore {
  /// The maximum number of jobs committed together, since the first one waits for the last.
  private static var mostTogether: Int { 64 }

  struct Commit {
    var changes = 0
    var transactions = 0
    var failure: WorkspaceError?
    /// The result of the flush to the disk that followed; nil if there was none.
    var disk: Result<Void, WorkspaceError>?
    /// The jobs that did not run because of a failure.
    var unrun: ArraySlice<(after: Int, job: OrderedWriterJob)> = []
  }

  func commit(
    _ batch: ArraySlice<Change>, _ work: [(after: Int, job: OrderedWriterJob)], first: Int, toDisk: Bool, isHeld: Bool
  ) -> Commit {
    var done = Commit()
    var rest = batch
    func advance(to end: Int) throws {
      while done.changes < end {
        let part = rest.prefix(min(maximumBatch, end - done.changes))
        try workspace.write(changing: changing?(part)) { try apply($0, part) }
        rest = rest.dropFirst(part.count)
        done.changes += part.count
        done.transactions += 1
      }
    }
    var next = 0
    do {
      while next < work.count {
        let together = work[next...].prefix(Self.mostTogether)
        let changes = rest.prefix((together.last?.after ?? 0) - first - done.changes)
        if together.count + changes.count > 1, changes.count <= maximumBatch,
          commitTogether(together, changes, from: first + done.changes)
        {
          rest = rest.dropFirst(changes.count)
          done.changes += changes.count
          next = together.endIndex
          done.transactions += 1
          continue
        }
        for entry in together {
          try advance(to: entry.after - first)
          try commitAlone(entry.job, isHeld: isHeld)
          next += 1
          done.transactions += 1
        }
      }
      try advance(to: batch.count)
    } catch {
      done.failure = WorkspaceError(error, path: workspace.path)
      done.unrun = work[next...]
    }
    if toDisk && done.failure == nil {
      done.disk = Result { try workspace.flushToDisk() }.mapError { WorkspaceError($0, path: workspace.path) }
    }
    return done
  }

  /// Commits jobs and the changes before them in one transaction, since each commit costs more than most jobs. Returns false if one of them fails, and
  /// then nothing has taken effect: each must get its own transaction, so that a failure undoes nothing else.
  private func commitTogether(
    _ jobs: ArraySlice<(after: Int, job: OrderedWriterJob)>, _ changes: ArraySlice<Change>, from start: Int
  ) -> Bool {
    var done: [OrderedWriterJob.Done] = []
    var types: ChangedTypes? = []
    do {
      try workspace.write(changing: types) { db in
        var rest = changes
        var position = start
        for (after, job) in jobs {
          let part = rest.prefix(after - position)
          if !part.isEmpty { try apply(db, part) }
          rest = rest.dropFirst(part.count)
          position = after
          done.append(try job.run(db))
        }
        types = changes.isEmpty ? [] : changing?(changes)
        for result in done {
          if let more = result.types { types?.formUnion(more) } else { types = nil }
        }
      }
    } catch {
      return false
    }
    for result in done { result.tell() }
    return true
  }

  /// Commits a job in its own transaction.
  ///
  /// - Throws: The failure because of which it must run again, only if changes are held; otherwise the job's caller receives the failure.
  private func commitAlone(_ job: OrderedWriterJob, isHeld: Bool) throws(WorkspaceError) {
    do {
      var done: OrderedWriterJob.Done?
      try workspace.write(changing: done.flatMap(\.types)) { done = try job.run($0) }
      done?.tell()
    } catch {
      if isHeld, let failure = WorkspaceError.ofWriting(error, path: workspace.path) { throw failure }
      job.fail(error)
    }
  }
}
