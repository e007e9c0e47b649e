import Foundation
import Glibc
import OperatingSystem
import Testing

@Suite("Failures to inspect something") struct LookFailuresTests {
  @Test("are counted for lack of resources, but not if nothing exists") func shortage() {
    let before = LookFailures.count
    LookFailures.note(ENOENT)
    LookFailures.note(EACCES)
    #expect(DirectoryNames.of("/nowhere/\(UUID().uuidString)").isEmpty)
    #expect(ProcessTable.read("/nowhere/\(UUID().uuidString)", limit: 1) == nil)
    #expect(LookFailures.count == before)
    for number in [EMFILE, ENFILE, ENOMEM] { LookFailures.note(number) }
    #expect(LookFailures.count >= before + 3)
  }

  @Test("include a file that cannot be opened for lack of descriptors") func inputFile() async {
    await #expect(processExitsWith: .success) {
      Descriptors.exhaust()
      let before = LookFailures.count
      do throws(InputFileError) {
        _ = try InputFile("/proc/self/stat")
      } catch {
        exit(error.isLackOfResources && LookFailures.count > before ? 0 : 2)
      }
      exit(3)
    }
  }

  @Test("are attributed to a task and those it waits for, but not to others")
  func observed() async {
    let (_, isComplete) = await LookFailures.observe {
      await Task.detached { LookFailures.note() }.value
    }
    #expect(isComplete)
    let (inner, isOuterComplete) = await LookFailures.observe {
      await LookFailures.observe {
        async let child: Void = LookFailures.note(EMFILE)
        await child
      }.isComplete
    }
    #expect(!inner)
    #expect(!isOuterComplete)
  }
}
