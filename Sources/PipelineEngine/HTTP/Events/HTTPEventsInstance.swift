import HTTPOperations
import Operations
import PipelineLanguage
import PluginHost
import Synchronization
import Values

/// A running feed: each of its events is a state of the controller `http.events`. May be used from any thread.
final class HTTPEventsInstance: PluginInstance {
  private let settings: JSONValue
  private let host: HTTPHost
  private let context: OperationContext
  private let access: PluginAccess
  private let events: any PluginInstanceEvents
  private let state = Mutex<(task: Task<Void, Never>?, isOver: Bool)>((nil, false))

  init(
    settings: JSONValue, host: HTTPHost, context: OperationContext, access: PluginAccess,
    events: any PluginInstanceEvents
  ) {
    self.settings = settings
    self.host = host
    self.context = context
    self.access = access
    self.events = events
  }

  func start(_ input: JSONValue) {
    state.withLock { state in
      guard !state.isOver, state.task == nil else { return }
      // The task retains the instance while the feed is running: `destroy` ends it.
      state.task = Task { await self.run(input) }
    }
  }

  func stop(grace: Duration) {
    let task = state.withLock { $0.task }
    guard let task else { return end(.success(nil)) }
    task.cancel()
  }

  func destroy() {
    let task = state.withLock { state in
      defer { state = (nil, true) }
      return state.task
    }
    task?.cancel()
  }

  private func run(_ input: JSONValue) async {
    do {
      try await follow(input)
      end(.success(nil))
    } catch let failure as PluginFailure {
      end(.failure(failure))
    } catch is CancellationError {
      end(.success(nil))
    } catch let error as HTTPOperationError {
      end(.failure(PluginFailure(code: error.code, message: error.description)))
    } catch {
      end(.failure(PluginFailure(code: "http-events", message: "\(error)")))
    }
  }

  private func follow(_ input: JSONValue) async throws {
    let settings = try HTTPEventsSettings(self.settings)
    var source = HTTPEventSource(try await settings.request(reading: access.secrets), by: host.client)
    source.peers = host.peers
    source.reconnection.time = settings.reconnect
    source.reconnection.early = .all
    source.silence = settings.silence
    if let latest = input["last_event"], latest["url"]?.stringValue == settings.text, settings.remembers,
      let id = latest["id"]?.stringValue
    {
      source.lastEventID = id
    }
    source.onChange = { [weak self] in self?.tell($0, url: settings.url.shown) }
    try await source.run(in: context) { [weak self] event in
      guard settings.types.isEmpty || settings.types.contains(event.type) else { return }
      // Until then nothing is read, and the server waits as well.
      await self?.events.room()
      self?.yield([
        "type": .string(event.type), "data": .string(event.data), "id": .string(event.id),
        "url": .string(settings.text),
      ])
    }
  }

  private func tell(_ change: HTTPEventSourceChange, url: String) {
    guard !state.withLock({ $0.isOver }) else { return }
    switch change {
    case .opened: events.logged(.debug, "receiving events from \(url)", nil)
    case .waiting(let delay, let error):
      events.logged(
        .warning,
        "\(error.code): \(error.description); reconnecting in "
          + DurationNotation.format(delay.inMilliseconds),
        nil)
    }
  }

  private func yield(_ event: JSONValue) {
    guard !state.withLock({ $0.isOver }) else { return }
    events.yielded(.state(event))
  }

  private func end(_ outcome: Result<JSONValue?, PluginFailure>) {
    let isFirst = state.withLock { state in
      defer { state = (nil, true) }
      return !state.isOver
    }
    if isFirst { events.ended(outcome) }
  }
}

extension Duration {
  /// The duration rounded down to whole milliseconds.
  fileprivate var inMilliseconds: Duration { .milliseconds(wholeMicroseconds / 1000) }
}
