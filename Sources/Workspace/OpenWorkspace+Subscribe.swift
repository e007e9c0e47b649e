extension OpenWorkspace {
  /// Calls `changeHandler` whenever the object has changed, and when it is deleted, which ends the subscription.
  ///
  /// The object may be older than the last change; then the handler is called immediately. It is called after a commit and before that transaction's
  /// completion handler, never concurrently, and once with the last state if several transactions were committed meanwhile. It delays no transactions,
  /// only other handlers; waiting in it for a transaction's completion deadlocks. Changes by other processes are reported as well. [a thread of the
  /// workspace]
  ///
  /// Throws ``WorkspaceError/unknownType(path:type:)``, or ``ChangeError`` if the object could not be stored.
  public func subscribe<Element: Storable>(
    object: Element, changeHandler: @escaping @Sendable (SubscribedObject<Element>) -> Void
  ) throws -> Subscription {
    try subscribe(object: object, changeHandler: changeHandler, whenEnded: {})
  }

  /// Calls `changeHandler` with the new result whenever a fetch would return a different one than before.
  ///
  /// Like ``subscribe(object:changeHandler:)``, but it ends only when it is cancelled.
  public func subscribe<Element: Storable>(
    fetchedResult: FetchedResult<Element>, changeHandler: @escaping @Sendable (FetchedResult<Element>) -> Void
  ) throws -> Subscription {
    try subscribe(fetchedResult: fetchedResult, changeHandler: changeHandler, whenEnded: {})
  }

  /// Calls `changeHandler` whenever objects of the type may have changed, in any process, and once at the beginning.
  ///
  /// Nothing is read for it, so it costs the same for any number of objects; and it may be called when only others have changed. With a group, whose
  /// meaning is defined by the code that writes the objects (``ChangedTypes``), it is not called for changes known to concern only other groups.
  ///
  /// - Throws: ``WorkspaceError/unknownType(path:type:)``.
  public func subscribe<Element: Storable>(
    changesOf type: Element.Type, in group: String? = nil, changeHandler: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try objects.check(type, path: path)
    return feed.add { mark, _ in TypeSubscriber(ObjectIdentifier(type), in: group, mark: mark, handler: changeHandler) }
  }

  /// Calls `changeHandler` whenever files were created or written in a directory of the workspace, by any process. Files in subdirectories do not count.
  /// [a thread of the workspace]
  ///
  /// - Parameters:
  ///   - folder: The path of the directory in the workspace.
  ///   - changeHandler: Called after a change.
  /// - Returns: Nil if there is no such directory, or the workspace is closed.
  public func subscribe(filesIn folder: String, changeHandler: @escaping @Sendable () -> Void) -> Subscription? {
    guard let watch = foreignChanges(), let number = watch.follow("\(directory)/\(folder)", changeHandler) else {
      return nil
    }
    return Subscription { watch.unfollow(number) }
  }

  func subscribe<Element: Storable>(
    object: Element, changeHandler: @escaping @Sendable (SubscribedObject<Element>) -> Void,
    whenEnded: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try objects.check(Element.self, path: path)
    _ = try Element.schema.core.row(of: object)
    let key = try Element.schema.core.key(of: object)
    return feed.add { mark, since in
      ObjectSubscriber<Element>(object, key, since: since, mark: mark, handler: changeHandler, whenEnded: whenEnded)
    }
  }

  func subscribe<Element: Storable>(
    fetchedResult: FetchedResult<Element>, changeHandler: @escaping @Sendable (FetchedResult<Element>) -> Void,
    whenEnded: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try objects.check(Element.self, path: path)
    return feed.add { mark, _ in
      ResultSubscriber(fetchedResult, mark: mark, handler: changeHandler, whenEnded: whenEnded)
    }
  }
}
