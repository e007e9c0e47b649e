import RunHistory
import Testing

@testable import Server

@Suite("What a host is told")
struct HostMailTests {
  private func next(_ count: Int, of mail: HostMail) async -> [HostSignal] {
    var signals: [HostSignal] = []
    for await signal in mail.signals {
      signals.append(signal)
      if signals.count == count { break }
    }
    return signals
  }

  @Test("is one change of files, however many there are until it looks, so that nothing waits behind them")
  func changes() async {
    let mail = HostMail()
    for _ in 0..<1000 { mail.send(.filesChanged) }
    mail.send(.requests)
    #expect(await next(2, of: mail) == [.filesChanged, .requests])
    #expect(mail.hasChanges)
    mail.takeChanges()
    #expect(!mail.hasChanges)
    mail.send(.filesChanged)
    mail.send(.idle)
    #expect(await next(2, of: mail) == [.filesChanged, .idle])
  }

  @Test("to drain goes once to whoever intercepts it")
  func interception() async {
    let mail = HostMail()
    let drain = HostSignal.drain(RunCanceller(means: .drain))
    await confirmation { told in
      mail.interceptDrain { told() }
      mail.send(drain)
    }
    mail.send(drain)
    #expect(await next(1, of: mail) == [drain])
  }
}
