import Foundation
import Testing

@testable import RunHistory

@Suite("Finding the workspace")
struct WorkspaceLocationTests {
  private func location(
    option: String? = nil, variables: [String: String] = [:], own: Set<String> = [], foreign: Set<String> = [],
    home: String? = "/home/me", at directory: String = "/work/project/sub", file: String? = nil,
    links: [String: String] = [:]
  ) -> WorkspaceLocation? {
    WorkspaceLocation.find(
      option: option, file: file,
      in: .init(
        currentDirectory: directory, variable: { variables[$0] }, home: { home },
        candidate: { own.contains($0) ? .own : foreign.contains($0) ? .foreign : .none },
        resolved: { links[$0] ?? $0 }))
  }

  private func find(
    option: String? = nil, variables: [String: String] = [:], own: Set<String> = [], foreign: Set<String> = [],
    home: String? = "/home/me", at directory: String = "/work/project/sub", file: String? = nil,
    links: [String: String] = [:]
  ) -> String? {
    location(
      option: option, variables: variables, own: own, foreign: foreign, home: home, at: directory, file: file,
      links: links
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

  @Test("then the nearest .penstock upward, including the root")
  func nearest() {
    #expect(find(own: ["/work/.penstock", "/work/project/.penstock"]) == "nearest /work/project/.penstock")
    #expect(find(own: ["/.penstock"]) == "nearest /.penstock")
    #expect(find(own: ["/.penstock"], at: "/") == "nearest /.penstock")
  }

  @Test(
    "for a pipeline file, it is the nearest .penstock upward from the file, wherever the command is started",
    arguments: [
      ("/", "work/project/e.yaml"), ("/work/project", "e.yaml"), ("/work/project", "./e.yaml"),
      ("/elsewhere", "/work/project/e.yaml"), ("/elsewhere", "link.yaml"), ("/work/project/sub", "../e.yaml"),
      ("/elsewhere", "/work/project/deep/er/e.yaml"),
    ])
  func file(_ directory: String, _ file: String) {
    let own: Set = ["/work/project/.penstock", "/elsewhere/.penstock", "/work/project/sub/.penstock"]
    let links = [
      "/elsewhere/link.yaml": "/work/project/e.yaml", "/work/project/./e.yaml": "/work/project/e.yaml",
      "/work/project/sub/../e.yaml": "/work/project/e.yaml",
    ]
    #expect(find(own: own, at: directory, file: file, links: links) == "nearest /work/project/.penstock")
  }

  @Test(
    "for a pipeline from standard input or a pipe, the search starts at the current directory",
    arguments: ["/dev/stdin", "/proc/self/fd/3", "pipe.yaml"])
  func placeless(_ file: String) {
    let links = ["/dev/stdin": "/other/e.yaml", "/work/project/sub/pipe.yaml": "/proc/1/fd/pipe:[2]"]
    #expect(
      find(own: ["/work/project/.penstock", "/dev/.penstock", "/other/.penstock"], file: file, links: links)
        == "nearest /work/project/.penstock")
  }

  @Test("a .penstock of another user is ignored, and messages name it")
  func foreign() throws {
    let found = try #require(location(own: ["/work/.penstock"], foreign: ["/work/project/.penstock"]))
    #expect(found.path == "/work/.penstock")
    #expect(
      found.originText
        == "the nearest .penstock upward from '/work/project/sub'; ignored '/work/project/.penstock', which belongs to another user"
    )
    let none = try #require(location(foreign: ["/tmp/.penstock"], file: "/tmp/x/e.yaml"))
    #expect(
      none.searchText
        == "found no workspace: looked for .penstock in '/tmp/x' and its parent directories, and for '/home/me/.local/state/penstock'; ignored '/tmp/.penstock', which belongs to another user"
    )
  }

  @Test("a command that finds none reports where it looked")
  func searched() {
    #expect(
      location(option: "here")?.searchText == "there is no workspace at '/work/project/sub/here' (from --workspace)")
    #expect(
      location(variables: ["PENSTOCK_WORKSPACE": "/w"])?.searchText
        == "there is no workspace at '/w' (from $PENSTOCK_WORKSPACE)")
    #expect(
      location(own: ["/work/.penstock"])?.searchText
        == "there is no workspace at '/work/.penstock' (the nearest .penstock upward from '/work/project/sub')")
  }

  @Test("another user's symbolic link to one's own directory is foreign", .enabled(if: geteuid() == 0, "needs root"))
  func link() throws {
    let place = NSTemporaryDirectory() + "penstock-place-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: place) }
    try FileManager.default.createDirectory(atPath: place + "/own", withIntermediateDirectories: true)
    for (name, user) in [("mine", geteuid()), ("other", 12345)] {
      #expect(symlink("own", "\(place)/\(name)") == 0 && lchown("\(place)/\(name)", user, 0) == 0)
    }
    let candidate = WorkspaceLocation.Surroundings.current.candidate
    #expect(candidate(place + "/own") == .own && candidate(place + "/mine") == .own)
    #expect(candidate(place + "/other") == .foreign && candidate(place + "/absent") == .none)
  }

  @Test("then the state directory, from XDG or in the home directory")
  func state() {
    #expect(find(variables: ["XDG_STATE_HOME": "/state", "HOME": "/h"]) == "state /state/penstock")
    #expect(find(variables: ["XDG_STATE_HOME": "relative", "HOME": "/h"]) == "state /h/.local/state/penstock")
    #expect(find() == "state /home/me/.local/state/penstock")
    #expect(find(home: nil) == nil)
  }
}
