import LinuxObservers
import Operations
import OperationsTesting
import Testing

@testable import PipelineEngine

@Suite("Activity of the host")
struct HostActivityTests {
  private let activity = HostActivity()

  @Test("its value while the host is being stopped is what subscribers receive")
  func stopping() {
    let seen = Log<[Bool]>()
    let subscription = activity.subscribe { [activity] in seen.append([$0, activity.isApplicationActive]) }
    let isActive = TerminalActivityObserver.shared.isApplicationActive
    activity.notice(isStopping: true)
    activity.notice(isStopping: false)
    #expect(
      seen.elements == (isActive ? [[true, true], [false, false], [true, true]] : [[false, false]]))
    subscription.cancel()
  }

  @Test("`rerun_on_change: foreground` becomes true when the host continues")
  func rerun() {
    let turns = Log<Bool>()
    let foreground = ApplicationIsActiveRunSpecification(observer: activity)
    let context = OperationContext()
    let subscription = foreground.subscribe(in: context) { turns.append(foreground.isSatisfied(in: context)) }
    let isActive = foreground.isSatisfied(in: context)
    activity.notice(isStopping: true)
    activity.notice(isStopping: false)
    #expect(turns.elements == (isActive ? [false, true] : []))
    subscription.cancel()
  }
}
