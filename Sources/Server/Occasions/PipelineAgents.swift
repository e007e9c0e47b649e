/// The agents of the pipelines that a host serves, and the ended ones that still record what their controllers reported.
struct PipelineAgents {
  private var agents: [String: PipelineAgent] = [:]
  private var ending: [PipelineAgent] = []

  /// The agent of the pipeline with that name, which has not ended.
  subscript(name: String) -> PipelineAgent? { agents[name] }

  /// Adds an agent that has begun. The former one of its pipeline must have ended.
  mutating func add(_ agent: PipelineAgent) { agents[agent.pipeline.name] = agent }

  /// Ends the agent of a pipeline, and returns it.
  @discardableResult
  mutating func end(_ name: String) -> PipelineAgent? {
    guard let agent = agents.removeValue(forKey: name) else { return nil }
    agent.end()
    ending.removeAll(where: \.isOver)
    ending.append(agent)
    return agent
  }

  /// Ends all agents.
  mutating func endAll() {
    for agent in agents.values { agent.end() }
    ending += agents.values
    agents = [:]
  }

  /// Removes the ended agents that may still record something, and returns them.
  mutating func takeEnding() -> [PipelineAgent] {
    defer { ending = [] }
    return ending
  }
}
