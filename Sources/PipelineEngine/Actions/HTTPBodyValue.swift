import HTTPOperations
import Operations
import PipelineLanguage
import Values

/// Converts a body to a value.
enum HTTPBodyValue {
  /// Returns the value as `type`; nil means JSON if the media type says so, otherwise text.
  static func value(of response: HTTPTransferResult, as type: ValueType?) throws -> JSONValue {
    let mediaType = response.head.fields[.contentType].flatMap { MediaType($0) }
    switch type {
    case nil where response.body.isEmpty: return .null
    case nil where mediaType?.isJSON == true: return try ResultText.value(of: response.body, as: .json)
    case nil, .string:
      do {
        let text = try HTTPBodyText.decode(response)
        return .string(type == nil ? text : text.last == "\n" ? String(text.dropLast()) : text)
      } catch let error as HTTPResultError {
        throw OperationFailure(
          code: "result-invalid",
          message: "\(error.message); save it to a file with 'save_to', or ignore it with 'result: none'")
      }
    case .some(let type): return try ResultText.value(of: response.body, as: type)
    }
  }
}
