extension RunHost {
  /// Sets the environment that processes of runs begun from now on inherit, including those that read secrets. Active runs keep theirs.
  package func setEnvironment(_ variables: [String: String]) {
    services.environment.inherited = ProcessEnvironment(variables)
  }
}
