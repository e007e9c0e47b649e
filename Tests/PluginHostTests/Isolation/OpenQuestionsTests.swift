import Testing
import Values

@testable import PluginHost

@Suite("Questions of a child")
struct OpenQuestionsTests {
  private func question(_ number: UInt64, _ question: ServiceRequest.Question = .secret("token"))
    -> OpenQuestions.Question
  {
    OpenQuestions.Question(number: number, question: question, access: .none)
  }

  @Test("they are answered in order, a limited number at a time")
  func order() {
    var questions = OpenQuestions()
    let most = UInt64(OpenQuestions.mostRunning)
    for number in 1...(most + 2) { #expect(questions.add(question(number)) == true) }
    for number in 1...most { #expect(questions.next()?.number == number) }
    #expect(questions.next() == nil)
    questions.answered()
    #expect(questions.next()?.number == most + 1)
    #expect(questions.next() == nil)
  }

  @Test("their number and the size of their values are limited")
  func room() {
    var questions = OpenQuestions()
    for number in 0..<UInt64(OpenQuestions.mostWaiting) { #expect(questions.add(question(number)) == true) }
    #expect(questions.add(question(0)) == false)
    var large = OpenQuestions()
    let value = JSONValue.array(Array(repeating: 0, count: OpenQuestions.mostBytes / 32 / 2))
    #expect(large.add(question(1, .set(key: "k", value))) == true)
    #expect(large.add(question(2, .set(key: "k", value))) == false)
    // A question that is being answered makes room for the next.
    #expect(large.next()?.number == 1)
    #expect(large.add(question(3, .set(key: "k", value))) == true)
  }
}
