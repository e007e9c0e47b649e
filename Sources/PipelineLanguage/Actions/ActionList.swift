/// All kinds of actions. A kind that does not implement its protocols fails to compile.
extension ActionKey {
  /// The type that reads and checks this kind.
  var kind: any CheckableAction.Type {
    switch self {
    case .run: ScriptAction.self
    case .command: CommandAction.self
    case .http: HTTPAction.self
    case .notify: NotifyAction.self
    case .uses: PluginUse.self
    case .value: ValueAction.self
    case .wait: OperationDefinition.Wait.self
    case .pipeline: NestedPipelineAction.self
    case .approve: ApprovalAction.self
    }
  }
}

extension OperationDefinition.Action {
  /// The action as a value of its kind.
  package var kind: any ActionKind {
    switch self {
    case .run(let script): ScriptAction(script: script)
    case .command(let arguments): CommandAction(arguments: arguments)
    case .http(let action): action
    case .uses(let use): use
    case .value(let data): ValueAction(data: data)
    case .wait(let wait): wait
    case .pipeline(let path, let parameters): NestedPipelineAction(path: path, parameters: parameters)
    case .approve(let message): ApprovalAction(message: message)
    }
  }
}
