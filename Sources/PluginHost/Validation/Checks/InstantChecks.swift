import PluginABI
import Values

extension CheckContext {
  func instants() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    guard offer.kind != .operation, let between = plugin.between else {
      note = "it does not report them"
      return
    }
    let instance = try instance(plugin, offer)
    defer { instance.destroy() }
    let now = plugin.host.now()
    let day: Int64 = 86_400_000_000_000
    let questions: [(String, after: Int64, until: Int64, limit: Int)] = [
      ("the next day", now, now + day, 100), ("the next year, one", now, now + 366 * day, 1),
      ("a century, many", now, now + 36_525 * day, 1000), ("nothing", now, now, 10),
      ("what is past", now, now - day, 10),
      ("all of time", .min, .max, 3),
    ]
    var isKnown = false
    for (name, after, until, limit) in questions {
      doing("which instants come in \(name)")
      let question = InstantsQuestion(
        input: SettingsSample.input(of: offer, directory: order.directory), after: after, until: until, limit: limit)
      let first = answer(instance, between, question)
      guard case .success(let json?) = first else {
        if case .failure(let failure) = first { problem("\(failure.message) (\(name))") }
        continue
      }
      isKnown = true
      do throws(PlannedInstants.Problem) {
        _ = try PlannedInstants(json, to: question, kind: offer.kind)
      } catch {
        problem("its answer \(error.reason) (\(name))")
      }
      if answer(instance, between, question) != first {
        problem("it returns a different answer the second time (\(name))")
      }
    }
    if !isKnown, problems.isEmpty { note = "it does not know them with these settings" }
    judge("between", plugin)
  }

  private func answer(
    _ instance: DrivenInstance, _ between: PluginImage.Between, _ question: InstantsQuestion
  ) -> Result<JSONValue?, PluginFailure> {
    let answer = TakenAnswer()
    let status = instance.between(between, question, answer)
    return answer.outcome(status, of: "it")
  }
}
