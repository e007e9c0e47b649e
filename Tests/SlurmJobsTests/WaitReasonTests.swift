import Testing

@testable import SlurmJobs

@Suite("Why Slurm keeps a job waiting")
struct WaitReasonTests {
  @Test("a reason is its first word", arguments: ["ReqNodeNotAvail", "ReqNodeNotAvail, UnavailableNodes:n[1-2]"])
  func word(text: String) {
    #expect(WaitReason(text)?.word == "ReqNodeNotAvail")
  }

  @Test("a job without a reason has none", arguments: ["None", "", "(null)"])
  func none(text: String) {
    #expect(WaitReason(text) == nil)
  }

  @Test(
    "a job that Slurm accepts but never starts is recognized",
    arguments: [
      "PartitionTimeLimit", "PartitionNodeLimit", "PartitionConfig", "BadConstraints", "AccountNotAllowed",
      "QOSNotAllowed", "InvalidAccount", "InvalidQOS", "MaxMemPerLimit", "ReservationDeleted", "QOSMaxCpuPerJobLimit",
      "QOSMaxWallDurationPerJobLimit", "AssocMaxCpuPerJobLimit", "QOSMinGRES",
    ])
  func never(word: String) throws {
    let reason = try #require(WaitReason(word))
    #expect(reason.outlook == .never)
    #expect(reason.sentence != nil)
  }

  @Test(
    "a job that others hold up may start",
    arguments: [
      "Resources", "Priority", "BeginTime", "Licenses", "QOSGrpCpuLimit", "QOSMaxJobsPerUserLimit", "AssocMaxJobsLimit",
      "AssocGrpCpuLimit", "JobArrayTaskLimit",
    ])
  func passes(word: String) throws {
    let reason = try #require(WaitReason(word))
    #expect(reason.outlook == .passes)
    #expect(reason.sentence != nil)
  }

  @Test("a job that a person holds says so", arguments: ["JobHeldUser", "JobHeldAdmin", "PartitionDown"])
  func person(word: String) throws {
    #expect(WaitReason(word)?.outlook == .needsPerson)
  }

  @Test("a reason of a later version may pass")
  func unknown() throws {
    let reason = try #require(WaitReason("NewerReason"))
    #expect(reason.outlook == .passes)
    #expect(reason.sentence == nil)
  }
}
