/// The state of what a plugin's controller controls: a pipeline to which it yields values.
public typealias PluginState<Value: PluginValue> = QueryState<Value, any Error>

/// The controls to which a plugin's controller yields.
public typealias PluginControls<Value: PluginValue> = OperationControls<PluginState<Value>>

extension Offer {
  /// Returns a controller with settings.
  ///
  /// What it yields reaches the host: a value starts a run that finds it in `run.event`, an error is reported, and a rerun (best made by
  /// `OperationControls.rerun(reason:at:fields:)`) starts a run. If the pipeline cannot keep up, the host refuses more: that function and
  /// `OperationControls.deliver(_:)` report this, while `yield` does not. The controller is stopped by cancelling the subscription that it
  /// returned. A controller that is one asynchronous function is best written as a ``TaskController``.
  ///
  /// - Parameters:
  ///   - id: The id in pipeline files.
  ///   - summary: A one-line summary.
  ///   - threads: See ``Threads``.
  ///   - whenFull: See ``WhenFull``.
  ///   - make: Creates the controller. Must return at once; an error that it throws is reported to the author of the pipeline file.
  /// - Returns: The offer.
  public static func controller<Settings: PluginSettings, Controller: OperationController, Value: PluginValue, Failure>(
    _ id: String, _ summary: String, threads: Threads = .instance, whenFull: WhenFull = .refuse,
    _ make: @escaping @Sendable (Settings) throws -> Controller
  ) -> Offer where Controller.State == QueryState<Value, Failure> {
    Offer(.controller, id, summary, threads, whenFull, types: [("states", Value.valueType)]) {
      (link, settings: Settings) in
      let controller = try make(settings)
      return SubscribedController(link, controller as? any PredictableController) { context in
        controller.control(with: controls(link, context))
      }
    }
  }

  /// Returns a controller with settings that is one asynchronous function: stopping it cancels its task, and the host waits, up to a limit, until
  /// it has returned.
  public static func controller<Settings: PluginSettings, Controller: TaskController, Value: PluginValue, Failure>(
    _ id: String, _ summary: String, threads: Threads = .instance, whenFull: WhenFull = .refuse,
    _ make: @escaping @Sendable (Settings) throws -> Controller
  ) -> Offer where Controller.State == QueryState<Value, Failure> {
    Offer(.controller, id, summary, threads, whenFull, types: [("states", Value.valueType)]) {
      (link, settings: Settings) in
      let controller = try make(settings)
      return TaskInstance.controller(link, controller as? any PredictableController) { context in
        try await controller.run(with: controls(link, context))
      }
    }
  }

  /// Returns a controller without settings.
  public static func controller<Controller: OperationController, Value: PluginValue, Failure>(
    _ id: String, _ summary: String, threads: Threads = .instance, whenFull: WhenFull = .refuse,
    _ controller: Controller
  ) -> Offer where Controller.State == QueryState<Value, Failure> {
    self.controller(id, summary, threads: threads, whenFull: whenFull) { (_: NoSettings) in controller }
  }

  /// Returns a controller without settings that is one asynchronous function.
  public static func controller<Controller: TaskController, Value: PluginValue, Failure>(
    _ id: String, _ summary: String, threads: Threads = .instance, whenFull: WhenFull = .refuse,
    _ controller: Controller
  ) -> Offer where Controller.State == QueryState<Value, Failure> {
    self.controller(id, summary, threads: threads, whenFull: whenFull) { (_: NoSettings) in controller }
  }

  private static func controls<Value: PluginValue, Failure>(
    _ link: InstanceLink, _ context: OperationContext
  ) -> OperationControls<QueryState<Value, Failure>> {
    OperationControls(
      path: OperationPath(context.pluginInput.pipeline), context: context, state: QueryState(),
      remote: HostControlTarget(link: link))
  }
}

/// Passes what a controller yields to the host.
private struct HostControlTarget<Value: PluginValue, Failure: Error>: RemoteControlTarget {
  typealias State = QueryState<Value, Failure>

  let link: InstanceLink

  func setResult(to result: Result<Value?, Failure>, using context: OperationContext?) {
    do {
      let state = try ValueEncoder.encode(try result.get())
      let status = link.host.yieldState(link.id, state)
      context?.deliveryReceipt?.note(status)
      switch status {
      case .tooLarge: tell(PluginProblem("state-too-large", "dropped a state that is larger than 16 MiB"))
      case .invalid: tell(PluginProblem("invalid-state", "dropped a state that the host rejected"))
      default: break
      }
    } catch {
      context?.deliveryReceipt?.note(.invalid)
      tell(PluginProblem(error))
    }
  }

  private func tell(_ problem: PluginProblem) { link.host.yieldError(link.id, problem) }

  func resetState(using context: OperationContext?) { link.host.yieldReset(link.id) }

  func rerun(using context: OperationContext?) {
    let status = link.host.yieldRerun(link.id, context?.rerunEvent ?? .object([:]))
    context?.deliveryReceipt?.note(status)
  }
}
