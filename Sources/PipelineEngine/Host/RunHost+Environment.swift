extension RunHost {
  /// Sets what the processes of runs inherit that begin from now on, those that read secrets included. Runs that go on keep what they had.
  package func setEnvironment(_ variables: [String: String]) {
    services.environment.inherited = ProcessEnvironment(variables)
  }
}
