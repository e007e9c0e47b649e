import Foundation
import Testing
import Values

@testable import PluginHost

@Suite("The process of a child host", .serialized)
struct ChildProcessTests {
  /// An operation that answers questions in its input about the process that it runs in.
  private static let tells = TestPlugin.Source(id: "tells") {
    $0.preamble = """
      #include <stdio.h>
      #include <dirent.h>
      #include <unistd.h>
      #include <fcntl.h>
      #include <pthread.h>
      #include <signal.h>
      #include <sys/mman.h>
      #include <sys/prctl.h>
      #include <sys/resource.h>
      extern char **environ;
      static void answer(penstock_id id, const char *text) {
        char json[4096];
        snprintf(json, sizeof json, "\\"%s\\"", text);
        instances->complete(host, id, (penstock_text){json, strlen(json)});
      }
      """
    $0.start = """
      char text[4000] = "";
      if (says(input, "environment")) {
        for (char **next = environ; *next; next++) snprintf(text + strlen(text), 1000, "%.*s ", (int)(strchr(*next, '=') - *next), *next);
        return answer(me->id, text);
      }
      if (says(input, "descriptors")) {
        struct dirent *entry;
        DIR *directory = opendir("/proc/self/fd");
        while ((entry = readdir(directory)))
          if (atoi(entry->d_name) > 4 && atoi(entry->d_name) != dirfd(directory)) {
            char path[512], link[512] = "";
            snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
            if (readlink(path, link, sizeof link - 1) > 0 && strncmp(link, "anon_inode:", 11)) snprintf(text + strlen(text), 1000, "%s ", link);
          }
        closedir(directory);
        return answer(me->id, text);
      }
      if (says(input, "input")) { snprintf(text, sizeof text, "%zd", read(0, text, 1)); return answer(me->id, text); }
      if (says(input, "session")) return answer(me->id, getsid(0) == getpid() && getpgrp() == getpid() ? "own" : "another");
      if (says(input, "core")) {
        struct rlimit limit;
        getrlimit(RLIMIT_CORE, &limit);
        snprintf(text, sizeof text, "%d", (int)limit.rlim_max);
        return answer(me->id, text);
      }
      if (says(input, "open")) {
        int count = 0;
        while (open("/dev/null", O_RDONLY) >= 0) count++;
        snprintf(text, sizeof text, "%s", count < 64 ? "few" : "many");
        return answer(me->id, text);
      }
      if (says(input, "memory")) {
        size_t count = 0;
        while (count < 4096 && malloc(1 << 20)) count++;
        snprintf(text, sizeof text, "%s", count < 64 ? "little" : "much");
        return answer(me->id, text);
      }
      /* Of 256 MiB at most each. */
      if (says(input, "shared")) {
        char *memory = mmap(NULL, 256 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        for (size_t at = 0; at < 256 << 20; at += 4096) memory[at] = 1;
        return;
      }
      if (says(input, "file")) {
        static char block[1 << 20];
        int file = memfd_create("large", 0);
        for (int count = 0; count < 256; count++) if (write(file, block, sizeof block) < 0) break;
        return;
      }
      if (says(input, "some")) {
        char *memory = mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        for (size_t at = 0; at < 32 << 20; at += 4096) memory[at] = 1;
        usleep(1500000);
        return answer(me->id, "kept");
      }
      if (says(input, "privileges")) {
        snprintf(text, sizeof text, "%d", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
        return answer(me->id, text);
      }
      if (says(input, "identity")) { snprintf(text, sizeof text, "%d", getpid()); return answer(me->id, text); }
      if (says(input, "stubborn")) { signal(SIGTERM, SIG_IGN); for (;;) pause(); }
      """
  }

  private func ask(
    _ question: String, limits: PluginReference.Limits = .init(), environment: [String] = []
  ) async throws -> String {
    let plugin = try IsolatedTestPlugin(Self.tells, limits: limits, environment: environment)
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": .string(question)], events: events)
    let end = await events.waitForEnd()
    await plugin.connection.close()
    guard case .ended(.string(let answer)) = end else { return "\(end, default: "nothing")" }
    return answer
  }

  @Test("its environment has only the allowed variables")
  func environment() async throws {
    let standard: Set<String> = ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "SWIFT_BACKTRACE"]
    // A variable that already exists: setting one here would change the environment under other tests that start processes.
    let others = ProcessInfo.processInfo.environment.keys.filter { !standard.contains($0) && !$0.contains(" ") }
    let allowed = try #require(others.min())
    try #require(others.count > 1)
    let names = Set(try await ask("environment", environment: [allowed]).split(separator: " ").map(String.init))
    #expect(names.isSubset(of: standard.union([allowed])))
    #expect(names.isSuperset(of: ["PATH", allowed]))
  }

  @Test(
    "it leads a session, reads nothing, and has no file of its host",
    arguments: [("session", "own"), ("input", "0"), ("core", "0"), ("descriptors", ""), ("privileges", "1")])
  func surroundings(question: String, answer: String) async throws {
    let its = try await ask(question)
    #expect(its == answer)
  }

  @Test("its descriptors and memory are limited")
  func limits() async throws {
    #expect(try await ask("open", limits: .init(descriptors: 32)) == "few")
    #expect(try await ask("open") == "many")
    #expect(try await ask("memory", limits: .init(memory: 40 << 20)) == "little")
    #expect(try await ask("memory", limits: .init(memory: 200 << 20)) == "much")
  }

  @Test("shared memory and files in memory count as memory", arguments: ["shared", "file"])
  func sharedMemory(kind: String) async throws {
    let plugin = try IsolatedTestPlugin(Self.tells, limits: .init(memory: 64 << 20)) {
      $0.controlGroups = ControlGroups(roots: [], membership: "") { _ in false }
    }
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": .string(kind)], events: events)
    let end = await events.waitForEnd()
    #expect(
      end
        == .failed(
          "plugin-crashed",
          "plugin 'tells' was killed: it exceeded its memory limit of 64 MiB while it ran 'tells'"))
    await plugin.connection.close()
  }

  @Test("shared memory within the limit is allowed")
  func someSharedMemory() async throws {
    #expect(try await ask("some", limits: .init(memory: 64 << 20)) == "kept")
  }

  @Test("closing leaves no process, zombie, thread or descriptor")
  func leaks() throws {
    // In a separate host: other tests open and close descriptors in this one.
    let host = Process()
    let output = Pipe()
    host.executableURL = URL(fileURLWithPath: IsolatedTestPlugin.program)
    host.arguments = ["leaks", try TestPlugin.compile(Self.tells)]
    host.standardOutput = output
    try host.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    host.waitUntilExit()
    #expect(text == "0 descriptors, 0 threads, no children\n")
  }

  @Test("a child that reacts neither to its host nor to SIGTERM is killed")
  func stubborn() async throws {
    let clock = WatchedClock()
    let plugin = try IsolatedTestPlugin(Self.tells, clock: clock)
    let (first, second) = (RecordedEvents(), RecordedEvents())
    try plugin.start(input: ["requirement": "identity"], events: first)
    guard case .ended(.string(let text)) = await first.waitForEnd(), let pid = Int32(text) else { return }
    try plugin.start(input: ["requirement": "stubborn"], events: second)
    // It ignores the signal once its handler is set.
    while !Self.ignoresTermination(pid) { await Task.yield() }
    async let closed: Void = plugin.connection.close()
    await clock.begins(.seconds(3))
    clock.advance(by: .seconds(3))
    await clock.begins(.seconds(1))
    #expect(kill(pid, 0) == 0)
    clock.advance(by: .seconds(1))
    await closed
    #expect(kill(pid, 0) == -1 && errno == ESRCH)
    #expect(second.failure == "plugin-closed")
  }

  private static func ignoresTermination(_ pid: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigIgn:") }),
      let mask = UInt64(line.dropFirst(8).trimmingCharacters(in: .whitespaces), radix: 16)
    else { return false }
    return mask & (1 << UInt64(SIGTERM - 1)) != 0
  }
}
