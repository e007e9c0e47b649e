extension OpenWorkspace {
  /// Calls `changeHandler` whenever the object has changed, and when it is gone, which ends the subscription.
  ///
  /// The object may be older than the last change; then the handler is called at once. It is called after a commit and before
  /// that transaction's completion handler, never twice at a time, and once with the last state if several transactions were
  /// committed meanwhile. It holds up no transaction, only other handlers; waiting in it for a transaction's completion waits for
  /// ever. Changes of other processes arrive as well. [a thread of the workspace]
  ///
  /// Throws ``WorkspaceError/unknownType(path:type:)``, or ``ChangeError`` if the object is none that could be stored.
  public func subscribe<Element: Storable>(
    object: Element, changeHandler: @escaping @Sendable (SubscribedObject<Element>) -> Void
  ) throws -> Subscription {
    try subscribe(object: object, changeHandler: changeHandler, whenEnded: {})
  }

  /// Calls `changeHandler` with the new result whenever a fetch would give another one than before.
  ///
  /// As ``subscribe(object:changeHandler:)``. It ends only when it is cancelled.
  public func subscribe<Element: Storable>(
    fetchedResult: FetchedResult<Element>, changeHandler: @escaping @Sendable (FetchedResult<Element>) -> Void
  ) throws -> Subscription {
    try subscribe(fetchedResult: fetchedResult, changeHandler: changeHandler, whenEnded: {})
  }

  /// Calls `changeHandler` whenever objects of the type may have changed, whoever has changed them, and once at the beginning.
  ///
  /// Nothing is read for it, so that it costs the same however many objects there are; and it may be called where only others have changed. With a group, which means
  /// what whoever writes the objects says (``ChangedTypes``), it is not called for what is known to be about other groups alone.
  ///
  /// - Throws: ``WorkspaceError/unknownType(path:type:)``.
  public func subscribe<Element: Storable>(
    changesOf type: Element.Type, in group: String? = nil, changeHandler: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try objects.check(type, path: path)
    return feed.add { mark, _ in TypeSubscriber(ObjectIdentifier(type), in: group, mark: mark, handler: changeHandler) }
  }

  /// Calls `changeHandler` whenever files were created or written to in a directory of the workspace, whoever has done it. Files in directories below it do
  /// not count. [a thread of the workspace]
  ///
  /// - Parameters:
  ///   - folder: Its path in the workspace.
  ///   - changeHandler: Told of it.
  /// - Returns: Nil where there is no such directory, or the workspace is closed.
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
