import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Secrets and the workspace for plugins")
struct ServiceTests {
  /// Returns a plugin that makes `call` in its start, and completes with the status and value of the answer.
  private func source(_ call: String) -> TestPlugin.Source {
    TestPlugin.Source {
      $0.preamble = #"""
        #include <stdio.h>
        static const penstock_secrets_service *secrets;
        static const penstock_workspace_service *workspace;
        static void answer(void *context, penstock_status status, penstock_text value) {
          test_instance *me = context;
          char text[400];
          int length = snprintf(text, sizeof text, "%d %.*s", status, (int)value.length, value.length ? value.bytes : "");
          logs->log(host, me->id, PENSTOCK_INFO, (penstock_text){text, length}, (penstock_text){NULL, 0});
        }
        """#
      $0.open = "secrets = host->service(host, PENSTOCK_SECRETS); workspace = host->service(host, PENSTOCK_WORKSPACE);"
      $0.start = call
    }
  }

  private func answer(_ call: String, _ access: PluginAccess) async throws -> String? {
    let plugin = try LoadedTestPlugin(source(call))
    let events = RecordedEvents()
    let instance = try plugin.create(access: access, events: events)
    instance.start([:])
    let all = await events.wait { !$0.isEmpty }
    instance.destroy()
    guard case .logged(_, let text, _)? = all.first else { return nil }
    return text
  }

  private func secrets(_ body: @escaping PluginAccess.Secrets) -> PluginAccess { PluginAccess(secrets: body) }

  @Test("an allowed secret is returned, and every refusal has its status")
  func secret() async throws {
    let call = #"secrets->get(host, me->id, PENSTOCK_TEXT("token"), answer, me);"#
    #expect(try await answer(call, secrets { name in "the \(name)" }) == "0 the token")
    #expect(try await answer(call, secrets { _ throws(PluginAccessError) in throw .denied }) == "7 ")
    #expect(try await answer(call, secrets { _ throws(PluginAccessError) in throw .unknown }) == "4 ")
    #expect(try await answer(call, secrets { _ throws(PluginAccessError) in throw .unavailable }) == "6 ")
    #expect(try await answer(call, .none) == "6 ")
  }

  @Test("values are set, read, listed and removed")
  func storage() async throws {
    let storage = MemoryStorage()
    let access = PluginAccess(storage: storage)
    let set = #"workspace->set(host, me->id, PENSTOCK_TEXT("a.1"), PENSTOCK_TEXT("{\"n\": 1}"), answer, me);"#
    #expect(try await answer(set, access) == "0 ")
    #expect(
      try await answer(#"workspace->get(host, me->id, PENSTOCK_TEXT("a.1"), answer, me);"#, access) == #"0 {"n":1}"#)
    #expect(
      try await answer(#"workspace->list(host, me->id, PENSTOCK_TEXT("a."), answer, me);"#, access) == #"0 ["a.1"]"#)
    let remove = #"workspace->set(host, me->id, PENSTOCK_TEXT("a.1"), (penstock_text){NULL, 0}, answer, me);"#
    #expect(try await answer(remove, access) == "0 ")
    #expect(try await answer(#"workspace->get(host, me->id, PENSTOCK_TEXT("a.1"), answer, me);"#, access) == "4 ")
    #expect(try await answer(set, .none) == "6 ")
  }

  @Test("a key that is too long, an invalid JSON value and a missing instance are refused at once")
  func refused() async throws {
    let access = PluginAccess(storage: MemoryStorage())
    let long = "char key[1025]; memset(key, 'k', sizeof key);"
    #expect(
      try await answer(long + "workspace->get(host, me->id, (penstock_text){key, 1025}, answer, me);", access) == "5 ")
    #expect(
      try await answer(long + "workspace->get(host, me->id, (penstock_text){key, 1024}, answer, me);", access) == "4 ")
    #expect(
      try await answer(
        #"workspace->set(host, me->id, PENSTOCK_TEXT("a"), PENSTOCK_TEXT("nonsense"), answer, me);"#, access) == "2 ")
    #expect(try await answer(#"workspace->get(host, 0, PENSTOCK_TEXT("a"), answer, me);"#, access) == "4 ")
    #expect(try await answer(#"workspace->get(host, me->id, PENSTOCK_TEXT("\xff"), answer, me);"#, access) == "2 ")
  }

  @Test("an answer that is pending when the instance is destroyed comes before that, and only once")
  func destroyed() async throws {
    let plugin = try LoadedTestPlugin(
      source(#"secrets->get(host, me->id, PENSTOCK_TEXT("token"), answer, me);"#))
    let (asked, told) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let instance = try plugin.create(
      access: secrets { _ in
        await withCheckedContinuation { told.yield($0) }
        return "too late"
      }, events: RecordedEvents())
    instance.start([:])
    var iterator = asked.makeAsyncIterator()
    let continuation = await iterator.next()
    instance.destroy()
    #expect(plugin.log.lines == ["info echo: 3 "])
    continuation?.resume()
    await plugin.connection.close()
    #expect(plugin.log.lines == ["info echo: 3 "])
  }
}
