import Foundation
import PluginHost
import Testing

@Suite("The plugin finder")
struct PluginFinderTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func finder(_ directories: String..., files: [String] = []) -> PluginFinder {
    PluginFinder(directories: directories.map { PluginDirectory(path: scratch($0)) }, files: files)
  }

  private func refusal(_ id: String, _ finder: PluginFinder) -> PluginError? {
    do throws(PluginError) {
      _ = try finder.find(id)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a plugin is found by the first part of an offer's id, under each of its names",
    arguments: ["libpenstock-calendar.so", "penstock-calendar.so", "calendar.so"])
  func names(name: String) throws {
    let path = try scratch.write("", to: "plugins/\(name)")
    for id in ["calendar", "calendar.time-window"] {
      let file = try finder("other", "plugins").find(id)
      #expect(file.path == path)
      #expect(file.id == "calendar")
      #expect(file.origin == .directory(scratch("plugins")))
      #expect(!file.isStandard)
    }
  }

  @Test("beside the executable, only names with a penstock prefix count")
  func prefixed() throws {
    try scratch.write("", to: "bin/calendar.so")
    try scratch.write("", to: "bin/libother.so")
    let bin = PluginDirectory(path: scratch("bin"), isStandard: true, isPrefixed: true)
    #expect(refusal("calendar", PluginFinder(directories: [bin]))?.code == .notFound)
    try scratch.write("", to: "bin/penstock-calendar.so")
    #expect(try PluginFinder(directories: [bin]).find("calendar").isStandard)
    #expect(PluginFinder(directories: [bin]).all().files.map(\.id) == ["calendar"])
  }

  @Test("two files with one name are an error that names both")
  func ambiguous() throws {
    let first = try scratch.write("", to: "a/calendar.so")
    let second = try scratch.write("", to: "b/libpenstock-calendar.so")
    let error = try #require(refusal("calendar", finder("a", "b")))
    #expect(error.code == .ambiguous)
    #expect(
      error.message
        == "two files are named like the plugin 'calendar': '\(first)' and '\(second)'; remove one of them, "
        + "or choose one with 'path' under 'plugins' in the pipeline file")
  }

  @Test("a file from the command line counts as another candidate")
  func commandLine() throws {
    let named = try scratch.write("", to: "mine/calendar.so")
    #expect(try finder(files: [named]).find("calendar").origin == .commandLine)
    try scratch.write("", to: "a/calendar.so")
    #expect(refusal("calendar", finder("a", files: [named]))?.code == .ambiguous)
  }

  @Test("one file under two paths counts once")
  func same() throws {
    let path = try scratch.write("", to: "a/calendar.so")
    try scratch.link("a/libpenstock-calendar.so", to: "calendar.so")
    try scratch.link("b", to: "a")
    let file = try finder("a", "b", "a").find("calendar")
    #expect(file.path == path)
    #expect(file.foundPath == scratch("a/libpenstock-calendar.so"))
    #expect(finder("a", "b").all().files.count == 1)
  }

  @Test("a missing plugin is reported with the places and the nearest name")
  func notFound() throws {
    try scratch.write("", to: "a/libpenstock-calendar.so")
    let error = try #require(refusal("calender.time-window", finder("a", "b")))
    #expect(error.code == .notFound)
    #expect(
      error.message
        == "there is no plugin 'calender': searched '\(scratch("a"))', '\(scratch("b"))' (does not exist); did you mean 'calendar'?"
    )
  }

  @Test("if nothing has a similar name, the message says where to put the file")
  func nothing() {
    #expect(
      refusal("x", PluginFinder())?.message
        == "there is no plugin 'x': there are no directories to search; add it with 'penstock plugins add FILE|URL', "
        + "install what 'plugins.lock' pins with 'penstock plugins install', or name the file with --plugin or under 'plugins'"
    )
  }

  @Test("a file from the command line with another name is reported, with the names that it may have")
  func misnamed() throws {
    let named = try scratch.write("", to: "mine/foo.so")
    #expect(
      refusal("evil", finder("mine", files: [named]))?.message
        == "there is no plugin 'evil': searched '\(scratch("mine"))', and '\(named)' is named like 'foo'; the file of 'evil' must be "
        + "called libpenstock-evil.so, penstock-evil.so or evil.so, or be named with 'path' under 'plugins'")
  }

  @Test("a malformed id never becomes part of a path", arguments: ["../a/calendar", "a/calendar", "Calendar", ""])
  func hostile(id: String) throws {
    try scratch.write("", to: "a/calendar.so")
    try scratch.write("", to: "a/Calendar.so")
    #expect(refusal(id, finder("a", "b"))?.code == .notFound)
  }

  @Test("a dangling link is reported as one")
  func dangling() throws {
    try scratch.directory("a")
    try scratch.link("a/calendar.so", to: "nowhere.so")
    #expect(
      refusal("calendar", finder("a"))?.message.contains("is a symbolic link to a file that does not exist") == true)
    let all = finder("a").all()
    #expect(all.files.isEmpty)
    #expect(all.errors.map(\.code) == [.notFound])
  }

  @Test("all files are listed by place and name, except hidden files and those that are not shared objects")
  func all() throws {
    for name in ["b.so", "a.so", ".hidden.so", "notes.txt", ".so", "c.so.bak"] {
      try scratch.write(name, to: "one/\(name)")
    }
    try scratch.write("", to: "two/libpenstock-d.so")
    let named = try scratch.write("", to: "e.so")
    let all = finder("one", "missing", "two", files: [named]).all()
    #expect(all.files.map(\.id) == ["e", "a", "b", "d"])
    #expect(all.errors.isEmpty)
    #expect(all.files.map(\.size) == [0, 4, 4, 0])
  }

  @Test("a file's identity changes with its content, but it stays the same file")
  func identity() throws {
    let path = try scratch.write("one", to: "a.so")
    let before = try PluginFile(at: path, origin: .commandLine).identity
    #expect(try PluginFile(at: path, origin: .commandLine).identity == before)
    try scratch.write("other", to: "b.so")
    #expect(try PluginFile(at: scratch("b.so"), origin: .commandLine).identity.isSameFile(as: before) == false)
    #expect(truncate(path, 1) == 0)
    let after = try PluginFile(at: path, origin: .commandLine).identity
    #expect(after != before)
    #expect(after.isSameFile(as: before))
  }

  @Test(
    "the standard directories follow the executable, then PENSTOCK_PLUGIN_PATH",
    arguments: [
      ("/usr/local/bin/penstock", "/usr/local/bin", "/usr/local/lib/penstock/plugins"),
      ("/bin/penstock", "/bin", "/lib/penstock/plugins"),
      ("/penstock", "/", "/lib/penstock/plugins"),
    ])
  func standard(executable: String, own: String, plugins: String) {
    let directories = PluginDirectory.standard(executable: executable, pluginPath: "/a::b c:", home: "/h/")
    #expect(directories.map(\.path) == [own, plugins, "/a", "b c", "/h/.local/lib/penstock/plugins"])
    #expect(directories.map(\.isStandard) == [true, true, false, false, false])
    #expect(directories.map(\.isPrefixed) == [true, false, false, false, false])
    #expect(PluginDirectory.standard(executable: nil, pluginPath: nil, home: nil).isEmpty)
    #expect(PluginDirectory.standard(executable: nil, pluginPath: nil, home: "h").isEmpty)
  }

  @Test("plugins of others never share the directory of Penstock's own, which run in the host's process")
  func added() throws {
    let plugins = "/h/.local/lib/penstock/plugins"
    #expect(PluginDirectory.added(executable: "/usr/bin/penstock", home: "/h") == PluginDirectory(path: plugins))
    #expect(
      PluginDirectory.added(executable: "/h/.local/bin/penstock", home: "/h")
        == PluginDirectory(path: plugins + "/added"))
    let scratch = try Scratch()
    try scratch.directory("real/.local/lib/penstock/plugins")
    try FileManager.default.createSymbolicLink(atPath: scratch("link"), withDestinationPath: scratch("real"))
    #expect(
      PluginDirectory.added(executable: scratch("real/.local/bin/penstock"), home: scratch("link"))?.path
        == scratch("link/.local/lib/penstock/plugins/added"))
  }

  @Test("the running executable is known")
  func executable() throws {
    let path = try #require(PluginDirectory.runningExecutable())
    #expect(path.hasPrefix("/"))
  }
}
