import Glibc
import PluginKit
import PluginKitTesting
import Testing

@testable import CalendarPlugin

@Suite(.timeLimit(.minutes(5))) struct HolidaysTests {
  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(notation: text)) }

  /// A calendar file in its own folder, which is deleted with this object.
  private final class TemporaryCalendar {
    let folder: String
    var path: String { folder + "/holidays.ics" }

    init() throws {
      var template = Array("/tmp/holidays-XXXXXX".utf8CString)
      folder = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
      unlink(path)
      rmdir(folder)
    }

    /// Replaces the old file with a new one, as careful programs do.
    func replace(_ text: String) throws {
      let file = try #require(fopen(folder + "/new", "w"))
      fputs(text, file)
      fclose(file)
      #expect(rename(folder + "/new", path) == 0)
    }

    func replace(days: [(name: String, day: String)]) throws {
      let events = days.map { "BEGIN:VEVENT\nSUMMARY:\($0.name)\nDTSTART;VALUE=DATE:\($0.day)\nEND:VEVENT\n" }
      try replace("BEGIN:VCALENDAR\n" + events.joined() + "END:VCALENDAR\n")
    }
  }

  @Test func aRelativePathStartsFromTheDirectoryOfThePipeline() async throws {
    let calendar = try TemporaryCalendar()
    try calendar.replace(days: [("New Year's Day", "20260101")])
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-01T12:00:00Z"))
    // A file is not read before the start.
    let instance = try host.specification("calendar.holidays", with: ["file": "holidays.ics"])
    #expect(instance.events.isEmpty && host.log.isEmpty)
    instance.start(["directory": .string(calendar.folder)])
    await instance.tells(.changed(true, reason: "New Year's Day until Friday 00:00 in UTC"))
    instance.stop()
    try await instance.end()
    #expect(host.faults.isEmpty)
  }

  @Test func itsChangesAreKnownBeforehandWhereTheFileCanBeRead() throws {
    let calendar = try TemporaryCalendar()
    try calendar.replace(days: [("New Year's Day", "20260101"), ("Labour Day", "20260501")])
    let host = try TestPluginHost(CalendarConditions.self)
    let instance = try host.specification(
      "calendar.holidays", with: ["file": "holidays.ics", "zone": "Europe/Berlin"])
    let (after, until) = (try time("2025-12-31T12:00:00Z"), try time("2030-01-01T00:00:00Z"))
    #expect(
      try instance.instants(after: after, until: until, limit: 3, input: ["directory": .string(calendar.folder)]) == [
        "zone": "Europe/Berlin",
        "instants": [
          ["instant": "2025-12-31T23:00:00Z", "local_time": "2026-01-01T00:00:00+01:00", "value": true],
          ["instant": "2026-01-01T23:00:00Z", "local_time": "2026-01-02T00:00:00+01:00", "value": false],
          ["instant": "2026-04-30T22:00:00Z", "local_time": "2026-05-01T00:00:00+02:00", "value": true],
        ], "more": true,
      ])
    #expect(try instance.instants(after: after, until: until, input: ["directory": "/nowhere"]) == nil)
    instance.destroy()
  }

  @Test func itIsSatisfiedOnAHoliday() async throws {
    let calendar = try TemporaryCalendar()
    try calendar.replace(days: [("New Year's Day", "20260101"), ("Labour Day", "20260501")])
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2025-12-31T12:00:00Z"))
    let instance = try host.specification(
      "calendar.holidays", with: ["file": .string(calendar.path), "zone": "Europe/Berlin"])
    instance.start()
    for (change, event) in [
      ("2025-12-31T23:00:00Z", TestEvent.changed(false, reason: "no holiday until Thursday 00:00 in Europe/Berlin")),
      ("2026-01-01T23:00:00Z", .changed(true, reason: "New Year's Day until Friday 00:00 in Europe/Berlin")),
      ("2026-04-30T22:00:00Z", .changed(false, reason: "no holiday until 2026-05-01 00:00 in Europe/Berlin")),
    ] {
      await instance.tells(event)
      await host.clock.hasTimer(at: try time(change))
      host.clock.setWallClock(to: try time(change))
    }
    await instance.tells(.changed(true, reason: "Labour Day until Saturday 00:00 in Europe/Berlin"))
    // Not having been read yet is not an answer.
    #expect(instance.events.count == 4)
    instance.stop()
    try await instance.end()
    #expect(host.faults.isEmpty && host.log.isEmpty)
  }

  @Test func aChangedFileIsReadAgain() async throws {
    let calendar = try TemporaryCalendar()
    try calendar.replace(days: [])
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-01T12:00:00Z"))
    let instance = try host.specification("calendar.holidays", with: ["file": .string(calendar.path)])
    instance.start()
    await instance.tells(.changed(false, reason: "no holiday in UTC, and none for two years"))
    try calendar.replace(days: [("Inventory", "20260101")])
    await instance.tells(.changed(true, reason: "Inventory until Friday 00:00 in UTC"))
    try calendar.replace("not a calendar")
    let problem = "'\(calendar.path)', line 1: the line is not a 'NAME:value', so the file is not a calendar"
    await instance.tells(.changed(nil, reason: problem))
    unlink(calendar.path)
    let missing = "'\(calendar.path)' cannot be read: No such file or directory"
    await instance.tells(.changed(nil, reason: missing))
    try calendar.replace(days: [("Inventory", "20260101")])
    await instance.tells(.changed(true, reason: "Inventory until Friday 00:00 in UTC"))
    #expect(host.log.map(\.message) == [problem, missing])
    instance.destroy()
  }

  @Test func aFileThatIsMissingAtTheStartIsUnknownUntilItComes() async throws {
    let calendar = try TemporaryCalendar()
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-01T12:00:00Z"))
    let instance = try host.specification("calendar.holidays", with: ["file": .string(calendar.path)])
    instance.start()
    await instance.tells(.changed(nil, reason: "'\(calendar.path)' cannot be read: No such file or directory"))
    try calendar.replace(days: [("", "20260101")])
    await instance.tells(.changed(true, reason: "a holiday until Friday 00:00 in UTC"))
    instance.destroy()
  }

  @Test func thereIsALogLineWhereChangesCannotBeNoticed() async throws {
    let host = try TestPluginHost(CalendarConditions.self)
    let instance = try host.specification("calendar.holidays", with: ["file": "/nowhere/at/all.ics"])
    instance.start()
    await instance.tells(.changed(nil, reason: "'/nowhere/at/all.ics' cannot be read: No such file or directory"))
    #expect(
      host.log.first?.message
        == "cannot watch '/nowhere/at/all.ics' for changes: inotify_add_watch failed: No such file or directory")
    instance.destroy()
  }

  @Test func aFileIsRequired() throws {
    let host = try TestPluginHost(CalendarConditions.self)
    #expect(throws: PluginProblem("invalid-settings", setting: "file", "give the path of an iCalendar file")) {
      try host.specification("calendar.holidays", with: ["file": ""])
    }
  }
}
