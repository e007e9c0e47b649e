import PipelineLanguage

extension OperationDefinition.Action {
  /// The action in runnable form: the list of all kinds.
  var runnable: any RunnableAction {
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
