import Foundation
import Glibc
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage

@Suite("Reading secrets") struct SecretReaderTests {
  /// Reads one secret in its own directory, and returns its value or the reason why there is none.
  private func read(
    _ origin: (String) throws -> PipelineDefinition.Secret.Origin, patience: Duration = .seconds(20)
  ) async throws -> Result<String, EngineError> {
    let host = try EngineTestHost()
    let secret = PipelineDefinition.Secret(name: "s", origin: try origin(host.directory), range: .beginning)
    let reader = SecretReader(
      local: host.services.executors.local, environment: host.services.environment, directory: host.directory,
      patience: patience)
    let result: Result<String, EngineError>
    do {
      result = .success(
        try await Task(executorPreference: host.loop) { try await reader.read([secret])["s"] ?? "" }.value)
    } catch let error as EngineError {
      result = .failure(error)
    }
    await host.close()
    return result
  }

  private func reason(_ result: Result<String, EngineError>) -> String? {
    if case .failure(.secrets(let unreadable)) = result { unreadable.first?.reason } else { nil }
  }

  @Test("a file is read whatever size the system reports") func proc() async throws {
    let version = try await read { _ in .file("/proc/version") }.get()
    #expect(version.hasPrefix("Linux"))
  }

  @Test("a file over the limit is rejected, however large it is") func large() async throws {
    let result = try await read { directory in
      #expect(FileManager.default.createFile(atPath: directory + "/sparse", contents: nil))
      #expect(truncate(directory + "/sparse", 20 << 30) == 0)
      return .file("sparse")
    }
    #expect(reason(result)?.hasSuffix("/sparse' is larger than 1 MiB") == true)
  }

  @Test("a device is rejected", arguments: ["/dev/zero", "/dev/null", "/dev/random"]) func device(path: String)
    async throws
  {
    let result = try await read { _ in .file(path) }
    #expect(reason(result) == "'\(path)' is a device, not a regular file")
  }

  @Test("a pipe is read to its end") func pipe() async throws {
    var writer: Thread?
    let result = try await read { directory in
      let path = directory + "/fifo"
      #expect(mkfifo(path, 0o600) == 0)
      writer = Thread {
        // Waits for the reader.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        write(descriptor, "correct ", 8)
        write(descriptor, "horse\n", 6)
        close(descriptor)
      }
      writer?.start()
      return .file("fifo")
    }
    #expect(try result.get() == "correct horse")
  }

  @Test("a pipe without a writer times out, and is not an empty secret") func silentPipe() async throws {
    let result = try await read(
      { directory in
        #expect(mkfifo(directory + "/fifo", 0o600) == 0)
        return .file("fifo")
      }, patience: .milliseconds(20))
    #expect(reason(result)?.contains("/fifo' is a pipe that its writer did not close within") == true)
  }

  @Test("a file among a service's credentials is found by their directory") func credentials() {
    var variables = ProcessEnvironment()
    #expect(SecretFile.absolute("$CREDENTIALS_DIRECTORY/key", in: "/p", variables) == nil)
    variables["CREDENTIALS_DIRECTORY"] = "/run/credentials/x"
    #expect(SecretFile.absolute("$CREDENTIALS_DIRECTORY/key", in: "/p", variables) == "/run/credentials/x/key")
    #expect(SecretFile.absolute("${CREDENTIALS_DIRECTORY}/a/b", in: "/p", variables) == "/run/credentials/x/a/b")
    #expect(SecretFile.absolute("$HOME/key", in: "/p", variables) == "/p/$HOME/key")
    #expect(SecretFile.absolute("/key", in: "/p", variables) == "/key")
    variables["CREDENTIALS_DIRECTORY"] = "here"
    #expect(SecretFile.absolute("$CREDENTIALS_DIRECTORY/key", in: "/p", variables) == nil)
  }

  @Test("secrets are looked up separately from what processes inherit") func apart() async throws {
    var configuration = HostConfiguration()
    configuration.secretEnvironment = ["TOKEN": "hush"]
    configuration.environment = ["PATH": "/usr/bin:/bin"]
    #expect(configuration.secretEnvironment == ["TOKEN": "hush"])
    let environment = HostEnvironment(
      inherited: configuration.inherited, secrets: try #require(configuration.secretVariables))
    let host = try EngineTestHost()
    let secrets = [
      PipelineDefinition.Secret(name: "token", origin: .environment("TOKEN"), range: .beginning),
      PipelineDefinition.Secret(name: "seen", origin: .command(["sh", "-c", "echo \"<$TOKEN>\""]), range: .beginning),
    ]
    let reader = SecretReader(local: host.services.executors.local, environment: environment, directory: host.directory)
    let values = try await Task(executorPreference: host.loop) { try await reader.read(secrets) }.value
    #expect(values == ["token": "hush", "seen": "<>"])
    await host.close()
  }

  @Test("cancelling the task ends the wait for a pipe") func cancelled() async throws {
    let host = try EngineTestHost()
    #expect(mkfifo(host.directory + "/fifo", 0o600) == 0)
    let secret = PipelineDefinition.Secret(name: "s", origin: .file("fifo"), range: .beginning)
    let reader = SecretReader(
      local: host.services.executors.local, environment: host.services.environment, directory: host.directory)
    let task = Task(executorPreference: host.loop) { try await reader.read([secret]) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await host.close()
  }

  @Test("a command that prints without end is killed at the limit") func endless() async throws {
    let result = try await read { _ in .command(["cat", "/dev/zero"]) }
    #expect(
      reason(result) == "its command 'cat' printed more than 1MiB, the limit of a secret, and was killed")
  }

  @Test("a command may print as much as the limit") func limit() async throws {
    let result = try await read { _ in .command(["sh", "-c", "head -c 1048576 /dev/zero | tr '\\0' x"]) }
    #expect(try result.get().utf8.count == 1 << 20)
  }

  @Test("the error of an unreadable secret contains no other secret") func masked() async throws {
    let host = try EngineTestHost()
    let secrets = [
      PipelineDefinition.Secret(name: "first", origin: .command(["echo", "horse-battery"]), range: .beginning),
      PipelineDefinition.Secret(
        name: "second",
        origin: .command([
          "sh", "-c", "echo staple-staple; echo no horse-battery, outer-secret, staple-staple, other >&2; exit 3",
        ]), range: .beginning),
    ]
    let reader = SecretReader(
      local: host.services.executors.local, environment: host.services.environment, directory: host.directory,
      inherited: ["outer-secret"])
    let error = await #expect(throws: EngineError.self) {
      try await Task(executorPreference: host.loop) { try await reader.read(secrets) }.value
    }
    let told = error.flatMap { reason(.failure($0)) }
    #expect(told == "its command 'sh' exited with code 3: no ***, ***, ***, other")
    await host.close()
  }

  @Test("a command may print endless errors, and only the last line is reported") func complaints() async throws {
    let result = try await read { _ in
      .command(["sh", "-c", "head -c 30000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo locked >&2; exit 3"])
    }
    #expect(reason(result) == "its command 'sh' exited with code 3: locked")
  }

  @Test("a process left behind by a command does not delay its secret") func leftBehind() async throws {
    let result = try await read { _ in .command(["sh", "-c", "sleep 60 & echo $! > pid; echo horse"]) }
    #expect(try result.get() == "horse")
  }
}
