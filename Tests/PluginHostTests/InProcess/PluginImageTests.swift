import Foundation
import Testing
import Values

@testable import PluginHost

@Suite("Mapping shared objects")
struct PluginImageTests {
  private func refusal(_ source: TestPlugin.Source) throws -> PluginError? {
    let path = try TestPlugin.compile(source)
    return #expect(throws: PluginError.self) { try InProcessConnection(PluginImage.open(path, isCopy: true)) }
  }

  @Test("an undefined symbol is refused with the linker's message")
  func undefinedSymbol() throws {
    let path = try TestPlugin.compile(
      TestPlugin.Source(id: "undefined") {
        $0.preamble = "extern int coffee(void);"
        $0.start = "if (coffee()) abort();"
      })
    var errors: [PluginError] = []
    for isCopy in [false, true] {
      let error = #expect(throws: PluginError.self) { try PluginImage.open(path, isCopy: isCopy) }
      if let error { errors.append(error) }
    }
    #expect(errors.allSatisfy { $0.code == .notLoadable })
    #expect(
      errors.first?.message
        == "cannot load plugin '\(path)': undefined symbol: coffee; it was built against another version of a library, "
        + "or without one that it needs: see 'ldd -r'")
    #expect(errors.first == errors.last)
  }

  @Test("a missing library is refused by its name")
  func missingLibrary() throws {
    let library = try TestPlugin.compile(source: "int coffee(void) { return 0; }", name: "libcoffee")
    let directory = String(library.prefix(upTo: library.lastIndex(of: "/") ?? library.endIndex))
    let source = TestPlugin.Source(id: "missing") {
      $0.preamble = "extern int coffee(void);"
      $0.start = "if (coffee()) abort();"
    }
    let flags = ["-L", directory, "-Wl,--no-as-needed", "-l:libcoffee.so"]
    let path = try TestPlugin.compile(source, flags: flags)
    // The library has only a name, and is not in a directory that the linker searches.
    let error = #expect(throws: PluginError.self) { try PluginImage.open(path) }
    #expect(error?.code == .notLoadable)
    #expect(
      error?.message.hasPrefix("cannot load plugin '\(path)': libcoffee.so: cannot open shared object file") == true)
    // It is found beside the plugin, even if the verified file is loaded by its descriptor.
    let beside = try TestPlugin.compile(
      source, flags: flags + ["-Wl,-rpath,\\$ORIGIN/../0", "-Wl,-rpath,\(directory)"])
    let descriptor = open(beside, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    _ = try PluginImage.open(beside, descriptor: descriptor)
  }

  @Test("the file open as a descriptor is mapped, even if its number was used before")
  func descriptors() throws {
    var names: [String] = []
    for id in ["one", "two"] {
      let path = try TestPlugin.compile(TestPlugin.Source(id: id))
      let opened = open(path, O_RDONLY | O_CLOEXEC)
      // The same number both times, even if other tests open files meanwhile.
      let descriptor = dup2(opened, 900)
      close(opened)
      let image = try PluginImage.open(path, descriptor: descriptor)
      close(descriptor)
      names.append(try PluginDescription.parse(image.describe(), file: path).id)
    }
    #expect(names == ["one", "two"])
  }

  @Test("an object without an entry is not a plugin")
  func noEntry() throws {
    let path = try TestPlugin.compile(source: "int coffee;", name: "plain")
    let error = #expect(throws: PluginError.self) { try PluginImage.open(path) }
    #expect(error?.code == .noEntry)
  }

  @Test("incompatible versions are refused with both numbers")
  func versions() throws {
    let major = try refusal(TestPlugin.Source { $0.abiMajor = "2" })
    #expect(major?.code == .versionMismatch)
    #expect(major?.message.contains("uses version 2 of the plugin contract, but this host uses version 1") == true)
    let minor = try refusal(
      TestPlugin.Source {
        $0.abiMinor = "9"; $0.abiMinorNeeded = "7"
      })
    #expect(minor?.code == .versionMismatch)
    #expect(
      minor?.message.contains("needs version 1.7 of the plugin contract, this host has \(PluginEntry.hostVersion)")
        == true)
    let size = try refusal(TestPlugin.Source { $0.structSize = "24" })
    #expect(size?.code == .malformed)
    #expect(size?.message.contains("has 24 bytes instead of at least 48") == true)
  }

  @Test("a later minor version that needs nothing new is loaded")
  func newer() throws {
    let path = try TestPlugin.compile(
      TestPlugin.Source {
        $0.abiMinor = "3"; $0.structSize = "4096"
      })
    #expect(try InProcessConnection(PluginImage.open(path, isCopy: true)).description.id == "echo")
  }

  @Test("the thread that initialises a plugin outlives the one that loads it")
  func initializingThread() throws {
    let mark = NSTemporaryDirectory() + "penstock-ended-" + UUID().uuidString
    let path = try TestPlugin.compile(
      TestPlugin.Source {
        $0.preamble = """
          #include <fcntl.h>
          #include <pthread.h>
          static pthread_key_t key;
          static void ended(void *value) { (void)value; open("\(mark)", O_CREAT | O_WRONLY, 0600); }
          __attribute__((constructor)) static void initialized(void) {
            pthread_key_create(&key, ended);
            pthread_setspecific(key, &key);
          }
          """
      })
    final class Load: Sendable {
      let path: String
      init(_ path: String) { self.path = path }
    }
    var thread = pthread_t()
    let load = Unmanaged.passRetained(Load(path))
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let load = Unmanaged<Load>.fromOpaque(argument).takeRetainedValue()
        #expect(throws: Never.self) { try PluginImage.open(load.path, isCopy: true) }
        return nil
      }, load.toOpaque())
    pthread_join(thread, nil)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test("a plugin that cannot be opened is not used")
  func openFails() throws {
    let log = RecordedLog()
    let path = try TestPlugin.compile(
      TestPlugin.Source {
        $0.open = #"""
          logs->log(host, 0, PENSTOCK_ERROR, PENSTOCK_TEXT("no device"), (penstock_text){NULL, 0});
          return PENSTOCK_UNAVAILABLE;
          """#
        $0.close = "abort();"
      })
    let error = #expect(throws: PluginError.self) {
      try InProcessConnection(
        PluginImage.open(path, isCopy: true), options: InProcessConnection.Options { log.note($0, $1, $2) })
    }
    #expect(error?.code == .openFailed)
    #expect(error?.message == "plugin '\(path)' failed to open (status unavailable); see its log")
    #expect(log.lines == ["error echo: no device"])
  }

  @Test("a described kind must have its functions")
  func capabilities() throws {
    let text = TestPlugin.Source(id: "hollow").text
    for (former, replacement, what) in [
      ("? &functions", "? NULL", "has no 'penstock.operation/1'"),
      ("sizeof(penstock_functions), 0", "16, 0", "with a table of 16 bytes instead of at least 40"),
      ("0, create, start, stop", "0, create, NULL, stop", "with a table without 'start'"),
    ] {
      let source = text.replacing(former, with: replacement)
      #expect(source != text)
      let path = try TestPlugin.compile(source: source, name: "hollow", flags: ["-Wno-unused-function"])
      let error = #expect(throws: PluginError.self) { try InProcessConnection(PluginImage.open(path, isCopy: true)) }
      #expect(error?.code == .malformed)
      #expect(error?.message.contains(what) == true)
    }
  }
}
