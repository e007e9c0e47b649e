// Graphs of /bin/true, where all that an engine adds is overhead.

import WorkloadFiles

extension Catalogue {
  func fanOut() throws -> Workload {
    let (count, concurrency) = (1000, 2)
    let file = try shared("fan-out", "pipeline.yaml", PipelineFiles.fanOut(count: count, concurrency: concurrency))
    let lines = try shared("fan-out", "lines", PeerFiles.lines(count))
    let bash = try shared("fan-out", "fan-out.sh", PeerFiles.bashFanOut(count, concurrency: concurrency))
    return Workload(
      name: "fan-out", title: "1,000 × /bin/true, 2 at a time", goal: .ratio(atMost: 1.25),
      subject: penstock(running: file, operations: count, attempts: count),
      floor: spawning(count, concurrency: concurrency),
      peers: try graphPeers("fan-out", PeerFiles.independent(count), concurrency: concurrency)
        + linePeers(lines, concurrency: concurrency) + bashPeer(bash))
  }

  /// Measures what it costs to know when, and in which order, logs were written: the same run with and without that.
  func fanOutLogs() throws -> Workload {
    let count = 1000
    let file = try shared(
      "fan-out-logs", "pipeline.yaml", PipelineFiles.fanOut(count: count, concurrency: 2, command: "/bin/echo, line"))
    let tool = tool
    func contender(_ name: String, _ setting: String) -> Contender {
      Contender(name: name) { tool.running(file, in: $0, variable: "PENSTOCK_LOG_TIMES=\(setting)") }
    }
    return Workload(
      name: "fan-out-logs", title: "1,000 × /bin/echo, 2 at a time, beside PENSTOCK_LOG_TIMES=off",
      goal: .informativeRatio, subject: contender("penstock", "on"), floor: contender("floor", "off"))
  }

  func chain() throws -> Workload {
    let count = 200
    let file = try shared("chain", "pipeline.yaml", PipelineFiles.chain(count: count))
    let lines = try shared("chain", "lines", PeerFiles.lines(count))
    let bash = try shared("chain", "chain.sh", PeerFiles.bashChain(count))
    return Workload(
      name: "chain", title: "200 × /bin/true, one after the other", goal: .ratio(atMost: 1.3),
      subject: penstock(running: file, operations: count, attempts: count), floor: spawning(count, concurrency: 1),
      peers: try graphPeers("chain", PeerFiles.chain(count), concurrency: 1) + linePeers(lines, concurrency: 1)
        + bashPeer(bash),
      roundFactor: 2)
  }

  func grid() throws -> Workload {
    let grid = Grid(layers: 20, width: 25)
    let file = try shared("grid", "pipeline.yaml", PipelineFiles.grid(grid, concurrency: 2))
    let bash = try shared("grid", "grid.sh", PeerFiles.bashGrid(grid, concurrency: 2))
    return Workload(
      name: "grid", title: "20 × 25 × /bin/true, each after two others, 2 at a time", goal: .ratio(atMost: 1.3),
      subject: penstock(running: file, operations: grid.count, attempts: grid.count),
      floor: spawning(grid.count, concurrency: 2),
      peers: try graphPeers("grid", grid.nodes, concurrency: 2) + bashPeer(bash), roundFactor: 2)
  }

  /// The tool itself, which has to be loaded before it does anything.
  func version() -> Workload {
    let program = tool.program
    return Workload(
      name: "version", title: "penstock --version", goal: .added(atMostMilliseconds: 6),
      subject: Contender(name: "penstock") { Command(program, ["--version"], in: $0) },
      floor: spawning(1, concurrency: 1), roundFactor: 4)
  }

  /// One operation in a process of its own.
  func cold(existing: Bool) async throws -> Workload {
    let name = existing ? "cold-existing" : "cold-new"
    let file = try shared(name, "pipeline.yaml", PipelineFiles.fanOut(count: 1, concurrency: 2))
    let floor = spawning(1, concurrency: 1)
    let title = "1 × /bin/true, " + (existing ? "workspace exists" : "new workspace")
    let goal = Goal.added(atMostMilliseconds: 12)
    guard existing else {
      return Workload(
        name: name, title: title, goal: goal, subject: penstock(running: file, operations: 1, attempts: 1),
        floor: floor,
        memoryLimit: 40_000_000, roundFactor: 4)
    }
    let workspace = try scratch.directory("\(name)/shared") + "/workspace"
    try await tool.run(file, workspace: workspace)
    let tool = tool
    let subject = Contender(name: "penstock") { tool.running(file, in: $0, workspace: workspace) }
    return Workload(
      name: name, title: title, goal: goal, subject: subject, floor: floor, memoryLimit: 40_000_000, roundFactor: 4)
  }

  /// Measures the cost of making the end of a run survive a power loss: the same run with and without.
  func coldDurability() async throws -> Workload {
    let file = try shared("cold-durability", "pipeline.yaml", PipelineFiles.fanOut(count: 1, concurrency: 2))
    let workspace = try scratch.directory("cold-durability/shared") + "/workspace"
    try await tool.run(file, workspace: workspace)
    let tool = tool
    func contender(_ name: String, _ durability: String) -> Contender {
      Contender(name: name) {
        tool.running(file, in: $0, workspace: workspace, variable: "PENSTOCK_DURABILITY=\(durability)")
      }
    }
    return Workload(
      name: "cold-durability", title: "1 × /bin/true, durable, beside PENSTOCK_DURABILITY=process",
      goal: .informativeRatio,
      subject: contender("penstock", "power-loss"), floor: contender("floor", "process"), roundFactor: 4)
  }

  /// Tools that read a graph.
  private func graphPeers(_ name: String, _ steps: PeerFiles.Steps, concurrency: Int) throws -> [Contender] {
    let makefile = try shared(name, "Makefile", PeerFiles.makefile(steps))
    let ninja = try shared(name, "build.ninja", PeerFiles.ninja(steps))
    return installed([
      ("make", { Command("make", ["-s", "-j\(concurrency)", "-f", makefile], in: $0) }),
      ("ninja", { Command("ninja", ["-j\(concurrency)", "-f", ninja], in: $0) }),
    ])
  }

  /// Tools that read one line for each step.
  private func linePeers(_ lines: String, concurrency: Int) -> [Contender] {
    installed([
      ("xargs", { Command("xargs", ["-a", lines, "-P\(concurrency)", "-n1", "/bin/true"], in: $0) }),
      (
        "parallel",
        {
          Command(
            "parallel", ["--will-cite", "-j\(concurrency)", "--joblog", $0 + "/joblog", "-a", lines, "/bin/true"],
            in: $0)
        }
      ),
    ])
  }

  private func bashPeer(_ script: String) -> [Contender] {
    installed([("bash", { Command("bash", [script], in: $0) })])
  }

  private func installed(_ peers: [(String, @Sendable (String) -> Command)]) -> [Contender] {
    peers.filter { Programs.isInstalled($0.0) }.map { Contender(name: $0.0, prepare: $0.1) }
  }
}
