import PluginKit
import PluginKitTesting
import Testing

// Serialized: the tests share one flag.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OfferSpecificationTests {
  @Test func aSpecificationTellsItsValueAtTheStartAndWhenItChanges() throws {
    FlagSpecification.flag.value = false
    let host = try TestPluginHost(Words.self)
    let instance = try host.specification("words.flag")
    instance.start()
    FlagSpecification.flag.value = true
    FlagSpecification.flag.value = true
    FlagSpecification.flag.value = nil
    #expect(
      instance.events == [
        .changed(false, reason: "the flag is down"), .changed(true, reason: "the flag is up"),
        .changed(nil, reason: "the flag is out of sight"),
      ])
    instance.stop()
    #expect(instance.events.last == .completed(nil))
    #expect(FlagSpecification.flag.observerCount == 0)
    FlagSpecification.flag.value = true
    #expect(instance.events.last == .completed(nil))
    #expect(host.faults.isEmpty)
  }

  @Test func destroyingASpecificationEndsItsSubscription() throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.specification("words.flag")
    instance.start()
    #expect(FlagSpecification.flag.observerCount == 1)
    instance.destroy()
    #expect(FlagSpecification.flag.observerCount == 0)
  }
}
