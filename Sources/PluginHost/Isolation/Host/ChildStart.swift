import OperatingSystem
import Values

/// The name of a call of the plugin that does not return while it is loaded; nil if there is none.
private final class HangingCall: @unchecked Sendable {
  // @unchecked: accessed only on the thread of one child.
  var name: String?
}

/// Starts a child host, and reports when its plugin is loaded or why it cannot be.
///
/// Used only on the connection's thread.
enum ChildStart {
  typealias Outcome = Result<(ChildProcess, PluginDescription), PluginError>

  /// Starts a child. `told` is called once, on the thread, possibly before this returns. It receives ownership of the process; after a failure, the
  /// process has ended.
  static func start(
    _ launch: ChildLaunch, on thread: ChildThread, options: IsolatedConnection.Options,
    line: @escaping (String) -> Void, hanging: @escaping (_ call: String) -> Void = { _ in },
    told: @escaping (Outcome) -> Void
  ) -> ChildProcess? {
    let process: ChildProcess
    do throws(SystemError) {
      process = try ChildProcess(launch, on: thread, options: options)
    } catch {
      told(.failure(PluginError(.childHost, "cannot start a child host for plugin '\(launch.name)': \(error)")))
      return nil
    }
    let limit = options.limits.start
    // The call that holds up the load. Accessed only on the thread.
    let call = HangingCall()
    let alarm = options.clock.wake(after: limit) {
      thread.execute { process.kill(call.name.map { .hanging($0, limit) } ?? .unresponsive(limit)) }
    }
    // The reason for refusing the plugin, reported once the process has ended and nothing of it is left.
    var refusal: PluginError?
    func settle(_ outcome: Outcome) {
      alarm.cancel()
      told(outcome)
    }
    process.onLine = line
    process.onMessage = { [unowned process] message in
      switch message {
      case .ready(let json, let isNewer):
        do throws(PluginError) {
          let description = try PluginDescription.parse(json, file: launch.path, isNewer: isNewer)
          // The receiver replaces the handlers.
          settle(.success((process, description)))
        } catch {
          refusal = error
          process.kill(.unneeded)
        }
      case .refused(let error): refusal = error
      case .logged(_, _, let text, _): line(text)
      case .hanging(0, let name):
        call.name = String(name.prefix(200))
        hanging(String(name.prefix(200)))
      default:
        process.kill(.garbage("a message before it was ready"))
      }
    }
    process.onEnd = { end in
      settle(.failure(refusal ?? PluginError(end.code, end.message(plugin: launch.name, while: "it was loaded"))))
    }
    return process
  }
}
