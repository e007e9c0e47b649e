import Testing
import Values

@testable import PluginHost

@Suite("Probing a plugin in a child")
struct PluginProbeTests {
  private func describe(_ change: (inout TestPlugin.Source) -> Void) throws -> PluginDescription {
    let source = TestPlugin.Source(id: "probed") {
      $0.preamble = "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>"
      change(&$0)
    }
    return try PluginProbe.describe(IsolatedTestPlugin.launch(TestPlugin.compile(source), name: source.id))
  }

  @Test("the description comes from the child")
  func description() throws {
    let description = try describe { $0.version = "4.5.6" }
    #expect(description.id == "probed")
    #expect(description.version == "4.5.6")
    #expect(description.offers.map(\.id) == ["probed"])
  }

  @Test("a crash while it is loaded is reported as such")
  func crash() {
    #expect(throws: PluginError(.crashed, "plugin 'probed' crashed: SIGSEGV while it was loaded")) {
      try describe { $0.open = "raise(SIGSEGV);" }
    }
    #expect(
      throws: PluginError(
        .crashed, "plugin 'probed' exited with 7 while it was loaded; its last output: no licence")
    ) {
      try describe {
        $0.preamble += """

          __attribute__((constructor)) static void first(void) { fprintf(stderr, "no licence\\n"); _exit(7); }
          """
      }
    }
  }

  @Test("a crash when its process ends, which it would bring to the host too, is reported as such")
  func crashAtTheEnd() {
    #expect(throws: PluginError(.crashed, "plugin 'probed' crashed: SIGSEGV while its process ended")) {
      try describe { $0.preamble += "\n__attribute__((destructor)) static void last(void) { raise(SIGSEGV); }" }
    }
    #expect(throws: PluginError(.crashed, "plugin 'probed' exited with 9 while its process ended")) {
      try describe { $0.preamble += "\n__attribute__((destructor)) static void last(void) { _exit(9); }" }
    }
  }

  @Test("refusals of the loader arrive with their code and message")
  func refused() {
    let open = #expect(throws: PluginError.self) { try describe { $0.open = "return PENSTOCK_FAILED;" } }
    #expect(open?.code == .openFailed)
    let version = #expect(throws: PluginError.self) { try describe { $0.abiMajor = "9" } }
    #expect(version?.code == .versionMismatch)
    let malformed = #expect(throws: PluginError.self) { try describe { $0.description = "{}" } }
    #expect(malformed?.code == .malformed)
  }

  @Test("a program that is not a child host is reported as such")
  func noChildHost() throws {
    var launch = try IsolatedTestPlugin.launch(TestPlugin.compile(TestPlugin.Source()))
    launch.command = ["/bin/false"]
    #expect(throws: PluginError(.crashed, "plugin 'echo' exited with 1 while it was loaded")) {
      try PluginProbe.describe(launch)
    }
    launch.command = ["/nowhere/penstock"]
    #expect(
      throws: PluginError(
        .childHost, "cannot start a child host for plugin 'echo': No such file or directory (execve)")
    ) {
      try PluginProbe.describe(launch)
    }
  }
}
