extension OpenWorkspace {
  /// Returns the future states of an object. Ends with `deleted`, or with the workspace.
  ///
  /// A slow consumer receives the last state instead of each one.
  public func publisher<Element: Storable>(for object: Element) -> ObjectPublisher<Element> {
    ObjectPublisher(workspace: self, object: object)
  }

  /// Returns the results that follow this one. Ends with the workspace.
  public func publisher<Element: Storable>(for fetchedResult: FetchedResult<Element>) -> ResultPublisher<Element> {
    ResultPublisher(workspace: self, beginning: .result(fetchedResult))
  }

  /// Begins a live query. Its first element is the result at the time of the first `next()`.
  public func publisher<Element: Storable>(for type: Element.Type) -> QueryPublisher<Element> {
    QueryPublisher(workspace: self)
  }
}

/// The states of one object, as an asynchronous sequence. Each iterator is a separate subscription.
public struct ObjectPublisher<Object: Storable>: AsyncSequence, Sendable {
  let workspace: OpenWorkspace
  let object: Object

  /// Iterates over the states. The subscription begins with the first call of `next()`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let publisher: ObjectPublisher
    var stream: AsyncStream<SubscribedObject<Object>>.Iterator?

    /// Returns the next state. Throws if the object does not belong to the workspace.
    public mutating func next() async throws -> SubscribedObject<Object>? {
      if stream == nil { stream = try publisher.begin().makeAsyncIterator() }
      return await stream?.next()
    }
  }

  /// Creates an iterator over the states.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(publisher: self) }

  private func begin() throws -> AsyncStream<SubscribedObject<Object>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SubscribedObject<Object>.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try workspace.subscribe(object: object) {
      continuation.yield($0)
    } whenEnded: {
      continuation.finish()
    }
    continuation.onTermination = { _ in subscription.cancel() }
    return stream
  }
}

/// A result, and its difference from the previous one.
public struct LiveResult<Element: Storable>: Sendable {
  /// The objects.
  public let result: FetchedResult<Element>
  /// The difference from the previous element; for the first element, from the result subscribed to, which is empty for a query.
  public let difference: ResultDifference
}

/// The results of one query, as an asynchronous sequence. Each iterator is a separate subscription.
public struct ResultPublisher<Object: Storable>: AsyncSequence, Sendable {
  enum Beginning: Sendable {
    case result(FetchedResult<Object>)
    case query(Query<Object>)
  }

  let workspace: OpenWorkspace
  let beginning: Beginning

  /// Iterates over the results. The subscription begins with the first call of `next()`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let publisher: ResultPublisher
    var stream: AsyncStream<FetchedResult<Object>>.Iterator?
    var last: FetchedResult<Object>?

    /// Returns the next result that differs from the previous one. Throws if the query cannot be run.
    public mutating func next() async throws -> LiveResult<Object>? {
      if stream == nil {
        switch publisher.beginning {
        case .result(let result):
          last = result
          stream = try publisher.begin(result).makeAsyncIterator()
        case .query(let query):
          let result = try publisher.workspace.fetch(for: Object.self).run(query)
          stream = try publisher.begin(result).makeAsyncIterator()
          return element(result)
        }
      }
      // Because intermediate results are dropped, the next one may equal the last one seen.
      while let result = await stream?.next() {
        let element = element(result)
        if !element.difference.isEmpty { return element }
      }
      return nil
    }

    private mutating func element(_ result: FetchedResult<Object>) -> LiveResult<Object> {
      let before = last ?? FetchedResult(objects: [], query: result.query)
      last = result
      return LiveResult(result: result, difference: ResultDifference(from: before, to: result))
    }
  }

  /// Creates an iterator over the results.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(publisher: self) }

  private func begin(_ result: FetchedResult<Object>) throws -> AsyncStream<FetchedResult<Object>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FetchedResult<Object>.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try workspace.subscribe(fetchedResult: result) {
      continuation.yield($0)
    } whenEnded: {
      continuation.finish()
    }
    continuation.onTermination = { _ in subscription.cancel() }
    return stream
  }
}

/// The beginning of a live query: `workspace.publisher(for: Job.self)`.
public struct QueryPublisher<Element: Storable>: Sendable {
  let workspace: OpenWorkspace

  /// Returns the objects that satisfy the condition, now and in the future.
  public func `where`(
    _ condition: Condition<Element>, limit: Limit = .noLimit, offset: Int = 0,
    orderBy ordering: [Ordering<Element>] = []
  ) -> ResultPublisher<Element> {
    publisher(Query(condition: condition, ordering: ordering, limit: limit, offset: offset))
  }

  /// Returns all objects, now and in the future.
  public func all(
    limit: Limit = .noLimit, offset: Int = 0, orderBy ordering: [Ordering<Element>] = []
  ) -> ResultPublisher<Element> {
    publisher(Query(condition: nil, ordering: ordering, limit: limit, offset: offset))
  }

  private func publisher(_ query: Query<Element>) -> ResultPublisher<Element> {
    ResultPublisher(workspace: workspace, beginning: .query(query))
  }
}
