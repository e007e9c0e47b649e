import Operations
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// A version of a pipeline in effect: what the host needs to know when it runs and to queue its runs, without its operations.
struct ServedPipeline: Sendable {
  /// The definition without operations and texts.
  let outline: PipelineDefinition
  /// The params of runs that start by themselves, without those that have no default.
  let parameters: [String: JSONValue]
  /// The variables that contain its secrets, and those of the pipelines that it runs.
  let secretVariables: Set<String>
  /// The run to queue, except for its id, its time and its occasion.
  private let prototype: QueuedRun
  let loadedAt: RecordTime

  var name: String { outline.name }
  var path: String { outline.source.absolutePath }
  var hash: String { prototype.record.definitionHash }

  /// How its runs may overlap.
  var overlap: OccasionRequest.Overlap {
    OccasionRequest.Overlap(outline.overlap)
  }

  /// Why it cannot run by itself although its file says so; nil if it can, or does not.
  let obstacle: String?

  /// Whether it should run by itself, but cannot.
  var isIdle: Bool { obstacle != nil }

  /// Whether anything other than a person starts it.
  var runsByItself: Bool { outline.runsByItself }

  init(_ pipeline: PipelineDefinition, in host: RunHost, version: String) {
    parameters = (try? ParameterResolver.resolve(pipeline, given: []).get()) ?? [:]
    obstacle = UnattendedParameters(of: pipeline)?.problem
    var options = RunOptions()
    options.version = version
    options.trigger = .controller
    options.parameters = parameters
    options.labels = pipeline.labels
    loadedAt = host.now()
    prototype = host.queuedRun(
      of: pipeline, options: options, queue: pipeline.scheduling.queue ?? QueuedRun.defaultQueue,
      priority: pipeline.scheduling.priority, startBy: nil)
    secretVariables = pipeline.secretVariables
    var outline = pipeline
    outline.operations = []
    outline.handlers = []
    outline.nested = [:]
    outline.source.text = ""
    self.outline = outline
  }

  /// Returns the run that an occasion requests.
  func run(for occasion: Occasion, event: JSONValue?) -> QueuedRun {
    var run = prototype
    run.record.id = .generate(at: occasion.askedAt)
    run.record.createdAt = occasion.askedAt
    run.record.controller = occasion.controller
    run.record.event = event.map(\.text)
    run.record.instant = occasion.instant
    run.startBy = outline.scheduling.startWithin.map { (occasion.instant ?? occasion.askedAt).advanced(by: $0) }
    return run
  }
}
