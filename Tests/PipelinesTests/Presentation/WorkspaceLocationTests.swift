import Testing

@testable import Pipelines

@Suite("Finding the workspace")
struct WorkspaceLocationTests {
  private func find(
    option: String? = nil, variables: [String: String] = [:], own: Set<String> = [], home: String? = "/home/me",
    at directory: String = "/work/project/sub"
  ) -> String? {
    WorkspaceLocation.find(
      option: option,
      in: .init(
        currentDirectory: directory, variable: { variables[$0] }, home: { home }, isOwnDirectory: { own.contains($0) })
    ).map { "\($0.origin.rawValue) \($0.path)" }
  }

  @Test("the option comes first, relative to the current directory")
  func option() {
    let variables = ["PENSTOCK_WORKSPACE": "/other"]
    #expect(find(option: "here/", variables: variables) == "option /work/project/sub/here")
    #expect(find(option: "/abs", variables: variables) == "option /abs")
  }

  @Test("then the variable, unless it is empty")
  func variable() {
    #expect(find(variables: ["PENSTOCK_WORKSPACE": "/other"]) == "environment /other")
    #expect(find(variables: ["PENSTOCK_WORKSPACE": ""]) == "state /home/me/.local/state/penstock")
  }

  @Test("then the nearest .penstock upward, also at the root")
  func nearest() {
    #expect(find(own: ["/work/.penstock", "/work/project/.penstock"]) == "nearest /work/project/.penstock")
    #expect(find(own: ["/.penstock"]) == "nearest /.penstock")
    #expect(find(own: ["/.penstock"], at: "/") == "nearest /.penstock")
  }

  @Test("then the state directory, where XDG says or in the home directory")
  func state() {
    #expect(find(variables: ["XDG_STATE_HOME": "/state", "HOME": "/h"]) == "state /state/penstock")
    #expect(find(variables: ["XDG_STATE_HOME": "relative", "HOME": "/h"]) == "state /h/.local/state/penstock")
    #expect(find() == "state /home/me/.local/state/penstock")
    #expect(find(home: nil) == nil)
  }
}
