import Operations
import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Plugins as operations, controllers and specifications")
struct PluginPresentationTests {
  @Test("an operation receives its requirement, place and attempt, and returns its result")
  func operation() async throws {
    let hosted = try HostedTestPlugin(TestPlugin.Source())
    var operation = try hosted.host.plugin("echo").operation(requirement: ["a": 1])
    operation.place = PluginOperation.Place(operation: "fetch", run: "r1", pipeline: "digest", directory: "/srv")
    let result = try await OperationRunner(operation).run()
    #expect(
      result == [
        "requirement": ["a": 1], "attempt": 1, "operation": "fetch", "run": "r1", "pipeline": "digest",
        "directory": "/srv",
      ])
  }

  @Test("a plugin's failure is thrown, and its retry_after is a hint")
  func failure() async throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source {
        $0.start = #"""
          instances->fail(host, me->id, PENSTOCK_TEXT(
            "{\"code\": \"quota-exceeded\", \"message\": \"come later\", \"retry_after\": 2.5, \"detail\": [1]}"));
          """#
      })
    let operation = try hosted.host.plugin("echo").operation()
    let error = await #expect(throws: PluginFailure.self) { try await OperationRunner(operation).run() }
    #expect(error?.code == "quota-exceeded")
    #expect(error?.detail == [1])
    #expect((error as (any Error)? as? any RetryHinting)?.retryAfter == .seconds(2.5))
  }

  @Test("a cancelled run asks the instance to end, and throws a CancellationError")
  func cancellation() async throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source {
        $0.start = #"instances->progress(host, me->id, PENSTOCK_TEXT("{\"fraction\":0.5}"));"#
        $0.stop = #"""
          instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\": \"cancelled\", \"message\": \"stopped\"}"));
          """#
      })
    var operation = try hosted.host.plugin("echo").operation()
    let (progress, told) = AsyncStream.makeStream(of: JSONValue.self)
    operation.onProgress = { told.yield($0) }
    let task = Task { [operation] in try await OperationRunner(operation).run() }
    var iterator = progress.makeAsyncIterator()
    #expect(await iterator.next() == ["fraction": 0.5])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a run that is cancelled before its start does not start")
  func cancelledBefore() async throws {
    let hosted = try HostedTestPlugin(TestPlugin.Source { $0.start = "abort();" })
    let operation = try hosted.host.plugin("echo").operation()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await OperationRunner(operation).run()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a specification knows its value from the moment it is created")
  func specification() throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source.specification {
        $0.start = #"specifications->changed(host, me->id, 1, PENSTOCK_TEXT("08:00 to 18:00"));"#
      })
    let specification = try hosted.host.plugin("echo").specification()
    let context = OperationContext()
    #expect(specification.isKnown)
    #expect(specification.isSatisfied(in: context))
    #expect(specification.description(in: context).reason == "echo is true: 08:00 to 18:00")
  }

  @Test("an unknown specification satisfies nothing, and reports that it is unknown")
  func unknown() throws {
    let hosted = try HostedTestPlugin(TestPlugin.Source.specification())
    let specification = try hosted.host.plugin("echo").specification()
    let context = OperationContext()
    #expect(!specification.isKnown)
    #expect(!specification.isSatisfied(in: context))
    #expect(specification.description(in: context).reason == "echo is unknown: the plugin has not reported a value")
  }

  @Test("a change is reported to subscribers, and a repeated value is not")
  func changes() throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source.specification {
        $0.preamble = #"""
          static void fire(void *context, penstock_status status) {
            test_instance *me = context;
            if (status != PENSTOCK_OK) return;
            specifications->changed(host, me->id, 0, PENSTOCK_TEXT("night"));
            specifications->changed(host, me->id, 0, PENSTOCK_TEXT("night"));
          }
          """#
        $0.start = #"""
          specifications->changed(host, me->id, 1, PENSTOCK_TEXT("day"));
          clocks->timer(host, me->id, clocks->now(host) + 1000000000, fire, me);
          """#
      })
    let specification = try hosted.host.plugin("echo").specification()
    let context = OperationContext()
    let count = Mutex(0)
    let subscription = specification.subscribe(in: context) { count.withLock { $0 += 1 } }
    hosted.clock.advance(by: .milliseconds(999))
    #expect(count.withLock { $0 } == 0)
    hosted.clock.advance(by: .milliseconds(1))
    #expect(count.withLock { $0 } == 1)
    #expect(specification.description(in: context).reason == "echo is false: night")
    subscription.cancel()
  }

  @Test("all readers share one instance, which ends with the last reference")
  func lastHolder() throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source.specification {
        $0.preamble = #"""
          static void note(const char *text) {
            logs->log(host, 0, PENSTOCK_INFO, (penstock_text){text, strlen(text)}, (penstock_text){NULL, 0});
          }
          """#
        $0.start = #"note("started"); specifications->changed(host, me->id, 1, (penstock_text){NULL, 0});"#
        $0.stop = #"note("stopped"); instances->complete(host, me->id, (penstock_text){NULL, 0});"#
        $0.destroy = #"note("destroyed");"#
      })
    var specification: PluginSpecification? = try hosted.host.plugin("echo").specification()
    let subscription = specification?.subscribe(in: OperationContext()) {}
    specification = nil
    #expect(hosted.log.lines == ["info echo: started"])
    subscription?.cancel()
    #expect(hosted.log.lines == ["info echo: started", "info echo: stopped", "info echo: destroyed"])
  }

  @Test("a failed specification is unknown until another instance reports a value")
  func made() throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source.specification {
        $0.preamble = "static int count;"
        $0.start = #"""
          if (count++ == 0)
            instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\": \"no-sensor\", \"message\": \"no sensor\"}"));
          else
            specifications->changed(host, me->id, 1, (penstock_text){NULL, 0});
          """#
      })
    let specification = try hosted.host.plugin("echo").specification()
    let context = OperationContext()
    #expect(!specification.isKnown)
    #expect(specification.description(in: context).reason == "echo is unknown: no sensor")
    hosted.clock.advance(by: .seconds(1))
    #expect(specification.isSatisfied(in: context))
  }

  @Test("a controller sets states and errors, requests runs and resets")
  func controller() async throws {
    let hosted = try HostedTestPlugin(
      TestPlugin.Source.controller {
        $0.preamble = #"""
          static void fire(void *context, penstock_status status) {
            test_instance *me = context;
            if (status != PENSTOCK_OK) return;
            me->step++;
            if (me->step == 1) controllers->yield_state(host, me->id, PENSTOCK_TEXT("[1]"));
            if (me->step == 2)
              controllers->yield_error(host, me->id, PENSTOCK_TEXT("{\"code\": \"odd\", \"message\": \"it is odd\"}"));
            if (me->step == 3) controllers->yield_reset(host, me->id);
            if (me->step == 4) controllers->yield_rerun(host, me->id, PENSTOCK_TEXT("{\"reason\": \"nine\"}"));
            clocks->timer(host, me->id, clocks->now(host) + 1000000000, fire, me);
          }
          """#
        $0.members = "int step;"
        $0.start = "clocks->timer(host, me->id, clocks->now(host) + 1000000000, fire, me);"
        $0.stop = #"""
          logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("stopped"), (penstock_text){NULL, 0});
          instances->complete(host, me->id, (penstock_text){NULL, 0});
          """#
      })
    let controller = try hosted.host.plugin("echo").controller()
    let client = OperationClient()
    var store: OperationStore? = client.store(for: EventQuery().controlled(by: controller))
    let (results, told) = AsyncStream.makeStream(of: JSONValue.self)
    let subscription = store?.subscribe(
      with: OperationEventHandler(onResultReceived: { result, _ in
        if case .success(let value) = result { told.yield(value) }
      }))
    hosted.clock.advance(by: .seconds(1))
    #expect(store?.currentValue == [1])
    hosted.clock.advance(by: .seconds(1))
    #expect((store?.error as? PluginFailure)?.code == "odd")
    hosted.clock.advance(by: .seconds(1))
    #expect(store?.currentValue == nil)
    hosted.clock.advance(by: .seconds(1))
    var iterator = results.makeAsyncIterator()
    var last: JSONValue?
    while last != ["reason": "nine"] { last = await iterator.next() }
    subscription?.cancel()
    client.clearStores()
    store = nil
    await hosted.log.wait(for: "stopped")
  }
}

/// Returns the event that caused the run.
private struct EventQuery: QueryRequest, Hashable {
  func fetch(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<JSONValue, any Error>
  ) async throws -> JSONValue {
    context.pluginEvent ?? .null
  }
}
