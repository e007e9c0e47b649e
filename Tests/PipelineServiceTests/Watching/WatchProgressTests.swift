import PipelineLanguage
import Testing

@testable import PipelineService

@Suite("The next step of a watched pipeline") struct WatchProgressTests {
  /// Returns a watch that began a run immediately, or one that waits for `automatic`.
  private func progress(automatic: Bool = false, hasBegun: Bool = false) throws -> WatchProgress {
    let text = (automatic ? "automatic: file-exists(go)\n" : "") + "operations: [{ name: a, value: 1 }]"
    return WatchProgress(WatchPlan(for: try pipeline(text), isAsked: false), hasBegun: hasBegun)
  }

  private func facts(
    isInterrupted: Bool = false, hasBegun: Bool = true, isAllowed: Bool = false
  ) -> WatchProgress.Facts {
    WatchProgress.Facts(isInterrupted: isInterrupted, hasBegun: hasBegun) { isAllowed }
  }

  @Test("After the end of a run, it waits for the next event")
  func rest() throws {
    var progress = try progress()
    #expect(!progress.isAtRest)
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .rest)
    #expect(progress.isAtRest)
  }

  @Test("A file changed during a run is reloaded after the end of the run")
  func changesInARun() throws {
    var progress = try progress()
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.asked, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "a.yaml"))
  }

  @Test("Of several changed files the latest is reported, and a change between runs takes effect immediately")
  func changesAtRest() throws {
    var progress = try progress()
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.changed(path: "b.yaml"), facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "b.yaml"))
    // A run had begun in the meantime, so nothing was loaded; its end repeats the request.
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "b.yaml"))
  }

  @Test("A change takes precedence over a controller's request")
  func changesBeforeControllers() throws {
    var progress = try progress()
    _ = progress.take(.ended, facts())
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .reload(path: "a.yaml"))
    #expect(progress.take(.asked, facts()) == .reload(path: "a.yaml"))
  }

  @Test("An interruption waits for the end of the run, and takes precedence over everything else")
  func interruptions() throws {
    var progress = try progress()
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.interrupted, facts(isInterrupted: true)) == .wait)
    #expect(progress.take(.ended, facts(isInterrupted: true)) == .stop)
    var idle = try self.progress()
    _ = idle.take(.ended, facts())
    #expect(idle.take(.interrupted, facts(isInterrupted: true)) == .stop)
  }

  @Test("A controller's request between two runs is granted, and no other one until its run has ended")
  func controllers() throws {
    var progress = try progress()
    _ = progress.take(.ended, facts())
    #expect(progress.take(.asked, facts()) == .rest)
    progress.beginsAskedRun()
    #expect(progress.take(.asked, facts()) == .wait)
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .rest)
  }

  @Test("The first run begins when `automatic` allows it, and only once")
  func automatic() throws {
    var progress = try progress(automatic: true)
    #expect(progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: false)) == .rest)
    #expect(progress.take(.allowed, facts(hasBegun: false, isAllowed: true)) == .begin)
    #expect(!progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: false, isAllowed: true)) == .wait)
    // Later runs are started by conditions and controllers.
    #expect(progress.take(.ended, facts(isAllowed: true)) == .rest)
    #expect(progress.take(.allowed, facts(isAllowed: true)) == .rest)
  }

  @Test(
    "The first run does not begin after an interruption, a change of the file, or another run",
    arguments: [0, 1, 2])
  func automaticTooLate(reason: Int) throws {
    var progress = try progress(automatic: true)
    if reason == 1 { _ = progress.take(.changed(path: "a.yaml"), facts(hasBegun: false)) }
    let step = progress.take(
      .allowed, facts(isInterrupted: reason == 0, hasBegun: reason == 2, isAllowed: true))
    #expect(step == [.stop, .reload(path: "a.yaml"), .rest][reason])
  }

  @Test("`automatic` is evaluated only if it matters")
  func lazily() throws {
    var progress = try progress()
    let facts = WatchProgress.Facts(isInterrupted: false, hasBegun: true) {
      Issue.record("It was asked.")
      return true
    }
    #expect(progress.take(.allowed, facts) == .wait)
    #expect(progress.take(.ended, facts) == .rest)
  }

  @Test("A run that the subscription has begun does not begin again")
  func begun() throws {
    var progress = try progress(automatic: true, hasBegun: true)
    #expect(!progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: true, isAllowed: true)) == .wait)
  }
}
