import PluginInstallation
import Testing

@Suite("Sources of plugins")
struct InstallationSourceTests {
  @Test(
    "are files and URLs",
    arguments: [
      ("a.so", InstallationSource.file(path: "a.so")), ("file:///a%20b/%C3%A4.so", .file(path: "/a b/ä.so")),
      ("file://localhost/a.so", .file(path: "/a.so")), ("FILE:///a.so", .file(path: "/a.so")),
      ("https://h/a.so", .url("https://h/a.so")), ("a:b.so", .file(path: "a:b.so")),
    ])
  func accepted(text: String, source: InstallationSource) throws {
    #expect(try InstallationSource(text) == source)
  }

  @Test(
    "are rejected with the reason",
    arguments: [
      ("", "the name of the plugin's file is empty; "), ("file://h/a.so", "'file://h/a.so' is not the URL of a file"),
      ("file:///a%2", "'file:///a%2' is not the URL of a file"),
      ("file:///a%00", "'file:///a%00' is not the URL of a file"),
      ("file:///a%ff", "'file:///a%ff' is not the URL of a file"),
      ("ftp://h/a", "a plugin cannot be fetched by 'ftp'; "),
      ("http://", "'http://' cannot be fetched: "), ("https://h/ü", "'https://h/ü' cannot be fetched: "),
    ])
  func rejected(text: String, reason: String) throws {
    let error = #expect(throws: InstallationError.self) { try InstallationSource(text) }
    #expect(error?.code == "plugin-source" && error?.kind == .usage)
    #expect(error?.message.hasPrefix(reason) == true, "\(error?.message ?? "")")
  }

  @Test("are shown without user, password and query")
  func shown() throws {
    #expect(try InstallationSource("https://me:secret@h:8443/a.so?token=secret").shown == "https://h:8443/a.so?…")
    #expect(try InstallationSource("a\u{1B}b").shown.contains("\u{1B}") == false)
  }

  @Test(
    "are unprotected if they come by http from another computer",
    arguments: [
      ("http://h/a", true), ("http://localhost/a", false), ("http://[::1]:80/a", false), ("http://127.0.0.1/a", false),
      ("https://h/a", false), ("a.so", false),
    ])
  func unprotected(text: String, isUnprotected: Bool) throws {
    #expect(try InstallationSource(text).isUnprotected == isUnprotected)
  }
}
