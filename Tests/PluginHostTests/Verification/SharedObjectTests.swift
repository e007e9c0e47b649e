import Foundation
import Testing

@testable import PluginHost

@Suite("Shared objects are refused before any of their code runs")
struct SharedObjectTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the path of a sound plugin with some bytes replaced.
  private func changed(_ offset: Int, _ bytes: [UInt8]) throws -> String {
    var object = try PluginHostTests.bytes(of: TestPlugin.compile(TestPlugin.Source()))
    object.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    return try scratch.write(object, to: "changed.so")
  }

  @Test("a sound plugin is accepted, and its numbers are read from the file")
  func sound() throws {
    let path = try TestPlugin.compile(TestPlugin.Source(), flags: ["-Wl,--no-as-needed", "-lm"])
    let file = try PluginFile(at: path, origin: .commandLine)
    let plugin = try PluginVerifier().verify(file)
    #expect(plugin.entry.structSize == 48)
    #expect(plugin.entry.version == PluginEntry.hostVersion)
    #expect(plugin.entry.abiMinorNeeded == 0)
    #expect(!plugin.entry.isNewer)
    #expect(plugin.libraries.contains("libm.so.6"))
    #expect(plugin.identity == file.identity)
    #expect(plugin.path == file.path)
  }

  @Test(
    "every kind of symbol hash table is accepted",
    arguments: [["-Wl,--hash-style=sysv"], ["-Wl,--hash-style=gnu"], ["-Wl,--hash-style=both"], ["-s"]])
  func hashStyles(flags: [String]) throws {
    #expect(verification(of: try TestPlugin.compile(TestPlugin.Source(), flags: flags)) == (nil, ""))
  }

  @Test("section headers are not needed, as they are not read")
  func noSections() throws {
    // Offset 40 holds the place of the section headers, 60 their number.
    var object = try bytes(of: TestPlugin.compile(TestPlugin.Source()))
    object.replaceSubrange(40..<48, with: [UInt8](repeating: 0, count: 8))
    object.replaceSubrange(60..<64, with: [0, 0, 0, 0])
    #expect(verification(of: try scratch.write(object, to: "bare.so")) == (nil, ""))
  }

  @Test("a plugin among a thousand other symbols is found")
  func manySymbols() throws {
    var source = TestPlugin.Source()
    source.preamble = (0..<1000).map { "PENSTOCK_EXPORT int number_\($0) = \($0);" }.joined(separator: "\n")
    for style in ["sysv", "gnu"] {
      #expect(verification(of: try TestPlugin.compile(source, flags: ["-Wl,--hash-style=\(style)"])) == (nil, ""))
    }
  }

  @Test(
    "a file of another kind is reported as what it is",
    arguments: [
      ([], "it is empty"), (Array("plain text".utf8), "it is not a shared object;"),
      (Array("#!/bin/sh\n".utf8), "it is not a shared object, but a script"),
      (Array("!<arch>\nabc/".utf8), "it is not a shared object, but a static library"),
      (Array("MZ......".utf8), "it is not a shared object, but a file for Windows"),
      ([0xCF, 0xFA, 0xED, 0xFE, 7], "it is not a shared object, but a file for macOS"),
      ([0x7F, 0x45, 0x4C, 0x46, 2], "it is damaged: it ends within the header"),
    ] as [([UInt8], String)])
  func somethingElse(bytes: [UInt8], reason: String) throws {
    let path = try scratch.write(bytes, to: "other.so")
    let (code, message) = verification(of: path)
    #expect(code == .notASharedObject)
    #expect(message.hasPrefix("the plugin '\(path)' is refused: \(reason)"))
  }

  @Test(
    "a plugin for another processor or system is refused with both names",
    arguments: [
      (4, 1, "it is for processors of 32 bits, but this computer is one of 64 bits"),
      (5, 2, "it is for big-endian processors, but this computer is little-endian"),
      (7, 9, "it is for FreeBSD, but this computer is Linux"),
      (18, 40, "it is for arm, but this computer is "),
      (18, 200, "it is for the processor number 200, but this computer is "),
    ] as [(Int, UInt8, String)])
  func architecture(offset: Int, byte: UInt8, reason: String) throws {
    let (code, message) = verification(of: try changed(offset, [byte]))
    #expect(code == .wrongArchitecture)
    #expect(message.contains(reason))
  }

  @Test(
    "an object that cannot be loaded as a plugin is reported with the way to link it",
    arguments: [
      (["-c"], "int x = 1;", "it is an object file that was not linked; link it with 'cc -shared -o NAME.so FILE.o'"),
      (
        ["-pie", "-fPIE"], "int main(void) { return 0; }",
        "it is a program, not a shared object; link it with '-shared'"
      ),
      (["-no-pie"], "int main(void) { return 0; }", "it is a program, not a shared object; link it with '-shared'"),
      (["-shared", "-Wl,-z,nodlopen"], "int x = 1;", "it was linked with '-z nodlopen', so it cannot be loaded"),
    ])
  func notLinked(flags: [String], source: String, reason: String) throws {
    let path = try TestPlugin.build(source: source, name: "other", flags: ["-fPIC"] + flags)
    let (code, message) = verification(of: path)
    #expect(code == .notASharedObject)
    #expect(message.contains(reason))
  }

  @Test(
    "a shared object without a plugin's entry is refused",
    arguments: [
      ("int x = 1;", "it does not export 'penstock_plugin'"),
      (
        "extern int penstock_plugin[12]; int *x(void) { return penstock_plugin; }",
        "it does not export 'penstock_plugin'"
      ),
      ("static int penstock_plugin[12] = {1}; int *x(void) { return penstock_plugin; }", "it does not export"),
      ("__attribute__((visibility(\"hidden\"))) int penstock_plugin[12] = {1};", "it does not export"),
      ("void penstock_plugin(void) {}", "its 'penstock_plugin' is a function"),
      ("__thread int penstock_plugin[12] = {1};", "its 'penstock_plugin' is not an ordinary variable"),
    ])
  func noEntry(source: String, reason: String) throws {
    let (code, message) = verification(of: try TestPlugin.compile(source: source))
    #expect(code == .noEntry)
    #expect(message.contains(reason))
    #expect(
      message.hasSuffix("; declare it with 'PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = { … }'"))
  }

  @Test(
    "an invalid entry is refused",
    arguments: [
      ("long penstock_plugin = 1;", "is too small or at an invalid address"),
      ("_Alignas(8) int penstock_plugin[12];", "is not initialized"),
      (
        "_Alignas(8) int penstock_plugin[12] = {47, 1};",
        "claims 47 bytes: version 1.0 has 48, and the file contains 48; begin it with 'sizeof(penstock_plugin_entry)'"
      ),
      (
        "_Alignas(8) int penstock_plugin[12] = {56, 1};",
        "claims 56 bytes: version 1.0 has 48, and the file contains 48"
      ),
      (
        "_Alignas(8) int penstock_plugin[10] = {48, 1};",
        "claims 48 bytes: version 1.0 has 48, and the file contains 40"
      ),
    ])
  func malformed(source: String, reason: String) throws {
    let (code, message) = verification(of: try TestPlugin.compile(source: source))
    #expect(code == .malformed)
    #expect(message.contains(reason))
  }

  @Test(
    "another version of the contract is refused with both numbers",
    arguments: [
      (
        "2", "3", "0",
        "it was built for version 2.3 of the plugin contract, but this host supports \(PluginEntry.hostVersion); update Penstock, or get the plugin for 1.x"
      ),
      (
        "0", "9", "0",
        "it was built for version 0.9 of the plugin contract, but this host supports \(PluginEntry.hostVersion); get a newer plugin, or build it with"
      ),
      (
        "1", "4", "2",
        "it needs at least version 1.2 of the plugin contract, but this host supports \(PluginEntry.hostVersion); update Penstock, or get an older"
      ),
    ])
  func versions(major: String, minor: String, needed: String, reason: String) throws {
    let source = TestPlugin.Source {
      $0.abiMajor = major
      $0.abiMinor = minor
      $0.abiMinorNeeded = needed
    }
    let (code, message) = verification(of: try TestPlugin.compile(source))
    #expect(code == .versionMismatch)
    #expect(message.contains(reason))
  }

  @Test("a later minor version that needs nothing new is accepted, and so is a larger entry")
  func newer() throws {
    let source = """
      #include <penstock/plugin.h>
      typedef struct { penstock_plugin_entry entry; void (*later)(void); } later_entry;
      PENSTOCK_EXPORT const later_entry penstock_plugin = { { sizeof(later_entry), 1, 7, 0, {0}, 0, 0, 0, 0 }, 0 };
      """
    let path = try TestPlugin.compile(source: source)
    let plugin = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine))
    #expect(plugin.entry.structSize == 56)
    #expect(plugin.entry.version == "1.7")
    #expect(plugin.entry.isNewer)
  }

  @Test("a plugin that is truncated anywhere before its last loaded byte is refused")
  func cutShort() throws {
    let object = try bytes(of: TestPlugin.compile(TestPlugin.Source()))
    let image = try ELFImage(ELFBytes(object))
    let end = try #require(image.loaded.map { Int($0.offset + $0.fileSize) }.max())
    for size in Array(stride(from: 0, to: end, by: 61)) + [end - 1] {
      #expect(throws: Refusal.self, "\(size) bytes of \(end)") { try ELFImage(ELFBytes(Array(object[..<size]))) }
    }
    _ = try PluginEntry(ELFImage(ELFBytes(Array(object[..<end]))))
  }

  @Test(
    "damaged headers are refused",
    arguments: [
      (20, [9], "its format has the version 9"), (54, [55], "its program headers have 55 bytes each, not 56"),
      (56, [0, 0], "it has no program headers"),
      (56, [0xFF, 0xFF], "the table of program headers reaches beyond the end"),
      (32, [UInt8](repeating: 0xFF, count: 8), "the table of program headers reaches beyond the end"),
      (16, [77], "it is of the unknown type 77"), (6, [3], "its format has the version 3"),
    ] as [(Int, [UInt8], String)])
  func damaged(offset: Int, bytes: [UInt8], reason: String) throws {
    let (code, message) = verification(of: try changed(offset, bytes))
    #expect(code == .notASharedObject)
    #expect(message.contains("is refused: it is damaged: \(reason)"))
    #expect(message.hasSuffix("; build or install it again"))
  }
}
