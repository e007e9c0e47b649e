import Expressions
import OrderedCollections
import PipelineLanguage
import PluginHost
import Values

extension PipelinePlugin {
  /// Returns the offer with this id.
  ///
  /// - Throws: ``OperationFailure`` if it no longer exists: the file has changed since the pipeline was checked.
  func offer(_ id: String, _ kind: PluginOffer.Kind) throws(OperationFailure) -> PluginOffer {
    if let offer = description.offer(id, kind) { return offer }
    throw OperationFailure(
      code: PluginError.Code.noSuchOffer.rawValue,
      message: "the plugin '\(description.id)' (\(description.version)) no longer offers the \(kind.rawValue) '\(id)'")
  }
}

extension PluginUse {
  /// Returns the settings, computed and checked against the offer's declaration.
  ///
  /// - Throws: ``OperationFailure``, or the error of an expression.
  func settings(for offer: PluginOffer, in contexts: borrowing some ExpressionContexts) throws -> JSONValue {
    // There are no settings, and none are possible.
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
