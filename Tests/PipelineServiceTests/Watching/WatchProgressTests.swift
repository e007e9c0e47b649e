import PipelineLanguage
import Testing

@testable import PipelineService

@Suite("What a watched pipeline does next") struct WatchProgressTests {
  /// A watch that has begun a run at once, or one that waits for `automatic`.
  private func progress(automatic: Bool = false, hasBegun: Bool = false) throws -> WatchProgress {
    let text = (automatic ? "automatic: file-exists(go)\n" : "") + "operations: [{ name: a, value: 1 }]"
    return WatchProgress(WatchPlan(for: try pipeline(text), isAsked: false), hasBegun: hasBegun)
  }

  private func facts(
    isInterrupted: Bool = false, hasBegun: Bool = true, isAllowed: Bool = false
  ) -> WatchProgress.Facts {
    WatchProgress.Facts(isInterrupted: isInterrupted, hasBegun: hasBegun) { isAllowed }
  }

  @Test("A run that ends lets it wait for what comes")
  func rest() throws {
    var progress = try progress()
    #expect(!progress.isAtRest)
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .rest)
    #expect(progress.isAtRest)
  }

  @Test("A change of a file while a run goes on loads the file when the run has ended")
  func changesInARun() throws {
    var progress = try progress()
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.asked, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "a.yaml"))
  }

  @Test("Of several changed files the latest is named, and a change between runs counts at once")
  func changesAtRest() throws {
    var progress = try progress()
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.changed(path: "b.yaml"), facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "b.yaml"))
    // A run had begun meanwhile, so that nothing was loaded: its end asks again.
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .reload(path: "b.yaml"))
  }

  @Test("A change comes before what a controller asks for")
  func changesBeforeControllers() throws {
    var progress = try progress()
    _ = progress.take(.ended, facts())
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .reload(path: "a.yaml"))
    #expect(progress.take(.asked, facts()) == .reload(path: "a.yaml"))
  }

  @Test("An interruption waits for the end of the run, and comes before everything else")
  func interruptions() throws {
    var progress = try progress()
    #expect(progress.take(.changed(path: "a.yaml"), facts()) == .wait)
    #expect(progress.take(.interrupted, facts(isInterrupted: true)) == .wait)
    #expect(progress.take(.ended, facts(isInterrupted: true)) == .stop)
    var idle = try self.progress()
    _ = idle.take(.ended, facts())
    #expect(idle.take(.interrupted, facts(isInterrupted: true)) == .stop)
  }

  @Test("A controller's wish between two runs is looked for, and nothing else until its run has ended")
  func controllers() throws {
    var progress = try progress()
    _ = progress.take(.ended, facts())
    #expect(progress.take(.asked, facts()) == .rest)
    progress.beginsAskedRun()
    #expect(progress.take(.asked, facts()) == .wait)
    #expect(progress.take(.began, facts()) == .wait)
    #expect(progress.take(.ended, facts()) == .rest)
  }

  @Test("The first run begins when `automatic` allows it, and once only")
  func automatic() throws {
    var progress = try progress(automatic: true)
    #expect(progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: false)) == .rest)
    #expect(progress.take(.allowed, facts(hasBegun: false, isAllowed: true)) == .begin)
    #expect(!progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: false, isAllowed: true)) == .wait)
    // Later runs are those of conditions and controllers.
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

  @Test("Whether `automatic` allows a run is asked only where that counts")
  func lazily() throws {
    var progress = try progress()
    let facts = WatchProgress.Facts(isInterrupted: false, hasBegun: true) {
      Issue.record("It was asked.")
      return true
    }
    #expect(progress.take(.allowed, facts) == .wait)
    #expect(progress.take(.ended, facts) == .rest)
  }

  @Test("A run that the subscription has begun is not begun again")
  func begun() throws {
    var progress = try progress(automatic: true, hasBegun: true)
    #expect(!progress.isAtRest)
    #expect(progress.take(.allowed, facts(hasBegun: true, isAllowed: true)) == .wait)
  }
}
