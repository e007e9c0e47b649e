import RunHistory
import Testing

@testable import Server

@Suite("The requests to a host")
struct HostMailTests {
  private func next(_ count: Int, of mail: HostMail) async -> [HostSignal] {
    var signals: [HostSignal] = []
    for await signal in mail.signals {
      signals.append(signal)
      if signals.count == count { break }
    }
    return signals
  }

  @Test("combine changes of files until the host looks, so that nothing waits behind them")
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

  @Test("to drain are passed once to the interceptor")
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
