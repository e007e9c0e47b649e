import Testing

@testable import SlurmJobs

@Suite("The configuration of a cluster")
struct SlurmSettingsTests {
  private static let text = """
    Configuration data as of 1764380000
    AccountingStorageType   = accounting_storage/none
    KillWait                = 2 sec
    MaxArraySize            = 10001
    MinJobAge               = 300 sec
    SlurmctldParameters     = enable_configless,rl_enable,rl_table_size=8192
    TaskPlugin              = task/affinity,task/cgroup
    InactiveLimit           = 0 sec
    Slurmctld(primary) at here is UP

    Cgroup Support Configuration:
    ConstrainRAMSpace       = yes

    """

  @Test("its values are read whatever the case of their names")
  func values() throws {
    let settings = try #require(SlurmSettings(text: Self.text))
    #expect(settings.number("MinJobAge") == 300)
    #expect(settings.number("maxarraysize") == 10001)
    #expect(settings["AccountingStorageType"] == "accounting_storage/none")
    #expect(settings["Unknown"] == nil)
    #expect(settings.contains("rl_enable", in: "SlurmctldParameters"))
    #expect(!settings.contains("rl", in: "SlurmctldParameters"))
    #expect(SlurmSettings(text: "slurm_load_ctl_conf error: Unable to contact slurm controller\n") == nil)
  }

  @Test("memory limits need a plugin and its setting")
  func memory() throws {
    #expect(try #require(SlurmSettings(text: Self.text)).limitsMemory == true)
    #expect(try #require(SlurmSettings(text: Self.text.replacing("= yes", with: "= no"))).limitsMemory == false)
    #expect(try #require(SlurmSettings(text: "TaskPlugin = task/none\n")).limitsMemory == false)
    #expect(try #require(SlurmSettings(text: "TaskPlugin = task/cgroup\n")).limitsMemory == nil)
  }

  @Test(
    "versions are compared by their numbers",
    arguments: [("slurm-wlm 22.05.8\n", false), ("slurm 21.08.8-2\n", true), ("slurm 24.11.0-rc1", false)])
  func version(text: String, isOld: Bool) throws {
    let version = try #require(SlurmVersion(text))
    #expect((version < .oldest) == isOld)
    #expect(text.contains(version.text))
    #expect(SlurmVersion("command not found") == nil)
  }
}
