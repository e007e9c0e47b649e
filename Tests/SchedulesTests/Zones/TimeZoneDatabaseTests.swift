import Glibc
import Testing

@testable import Schedules

struct TimeZoneDatabaseTests {
  @Test(
    "names that could lead elsewhere are rejected before anything is opened",
    arguments: [
      "../../etc/passwd", "/etc/localtime", "Europe/../../etc/passwd", "Europe//Berlin", "Europe/", ".", "",
      "Europe/Ber lin",
      "Europe/Berlin\0", "-x", "Europe/-x", "Zürich", String(repeating: "a", count: 129),
    ])
  func namesCouldLeadElsewhere(name: String) {
    #expect(throws: TimeZoneError.invalidName(name)) { try TimeZoneDatabase.system.zone(name) }
  }

  @Test("an unknown zone is reported as unknown, and a folder is not a zone")
  func unknownZoneSaidBe() {
    for name in ["Europe/Berln", "Europe"] {
      #expect(throws: TimeZoneError.unknown(name)) { try TimeZoneDatabase.system.zone(name) }
    }
  }

  @Test("without a database, UTC works and other zones fail with advice")
  func withoutDatabaseThereUTC() throws {
    let none = TimeZoneDatabase(directories: ["/nowhere/at/all"])
    #expect(try none.zone("UTC").name == "UTC")
    let error = try #require(throws: TimeZoneError.self) { try none.zone("Europe/Berlin") }
    #expect(error.code == "no-time-zones")
    #expect(error.description.contains("install the package tzdata"))
    #expect(none.names().isEmpty)
  }

  @Test("a file that is not a zone is reported as damaged")
  func fileNoZoneDamaged() throws {
    let folder = try TemporaryFolder()
    try folder.write("Nonsense", Array("hello".utf8))
    let database = TimeZoneDatabase(directories: [folder.path])
    let error = try #require(throws: TimeZoneError.self) { try database.zone("Nonsense") }
    #expect(error.description == "the file of the time zone 'Nonsense' is damaged: it ends within a header")
    #expect(mkfifo(folder.path + "/Pipe", 0o600) == 0)
    #expect(throws: TimeZoneError.unreadable(name: "Pipe", path: folder.path + "/Pipe", reason: "it is not a file")) {
      try database.zone("Pipe")
    }
  }

  @Test(
    "the variable TZ sets the computer's zone",
    arguments: [
      ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"), ("UTC", "UTC"),
      ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ])
  func variableTZNamesZone(variable: String, name: String) throws {
    let system = TimeZoneDatabase.system
    let database = TimeZoneDatabase(directories: system.directories, variable: variable)
    #expect(try database.zone("local").name == name)
  }

  @Test("without TZ, the zone is the target of the link, or else UTC")
  func withoutVariableWhereLink() throws {
    let folder = try TemporaryFolder()
    let link = folder.path + "/localtime"
    let directories = TimeZoneDatabase.system.directories
    func local() throws -> String {
      try TimeZoneDatabase(directories: directories, localTimePath: link).local().name
    }
    #expect(try local() == "UTC")
    #expect(symlink("/usr/share/zoneinfo/Europe/Berlin", link) == 0)
    #expect(try local() == "Europe/Berlin")
  }

  @Test("all zones can be listed and read")
  func allNamesCanBe() throws {
    let database = TimeZoneDatabase.system
    let names = database.names()
    #expect(names.contains("Europe/Berlin") && names.contains("America/Argentina/Buenos_Aires"))
    for name in names { #expect(throws: Never.self) { try database.zone(name) } }
  }
}
