import Expressions
import OrderedCollections
import PipelineLanguage
import PluginHost
import Values

extension PipelinePlugin {
  /// The offer with this id.
  ///
  /// - Throws: ``OperationFailure`` where it is not there any more: the file has changed since the pipeline was checked.
  func offer(_ id: String, _ kind: PluginOffer.Kind) throws(OperationFailure) -> PluginOffer {
    if let offer = description.offer(id, kind) { return offer }
    throw OperationFailure(
      code: PluginError.Code.noSuchOffer.rawValue,
      message: "the plugin '\(description.id)' (\(description.version)) offers no \(kind.rawValue) '\(id)' any more")
  }
}

extension PluginUse {
  /// The settings, computed and checked against what the offer takes.
  ///
  /// - Throws: ``OperationFailure``, or what an expression throws.
  func settings(for offer: PluginOffer, in contexts: borrowing some ExpressionContexts) throws -> JSONValue {
    // Nothing is given, and nothing could be.
    if settings.isEmpty, offer.settings.isEmpty { return [:] }
    var values: OrderedDictionary<String, JSONValue> = [:]
    for setting in settings {
      values[setting.name] = try setting.value.evaluate(in: contexts)
    }
    do {
      return try offer.resolve(settings: .object(values))
    } catch {
      throw OperationFailure(code: PluginError.Code.settings.rawValue, message: error.description)
    }
  }
}
