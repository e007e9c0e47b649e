import HTTPOperations

/// The error codes of an operation with `http`.
enum HTTPErrorCodes {
  /// All codes, including those of its attempt and its modifiers.
  static let all: Set<String> = {
    var codes: Set<String> = [
      HTTPStatusValidator.code, HTTPMediaTypeValidator.code, "request-failed", "response-refused", "result-failed",
      "result-invalid", "result-mismatch", "result-secret", "value-mismatch", "expression", "timeout", "failed",
    ]
    codes.formUnion(HTTPTransferError.Code.allCases.map(\.rawValue))
    codes.formUnion(HTTPEncodingError.Code.allCases.map(\.rawValue))
    codes.formUnion(HTTPResultError.Code.allCases.map(\.rawValue))
    codes.formUnion(HTTPDownloadError.Code.allCases.map(\.rawValue))
    return codes
  }()
}

extension DocumentReader {
  /// Reports codes under `retry.on` that no request fails with but that resemble a code that exists.
  ///
  /// Other unknown codes are allowed, because they are harmless.
  func checkErrorCodes(_ causes: YAMLNode?) {
    for cause in causes?.items ?? [] {
      guard let value = cause["error"] else { continue }
      for node in value.items ?? [value] {
        guard let code = node.text, !HTTPErrorCodes.all.contains(code),
          let fix = suggestion(for: code, among: HTTPErrorCodes.all.sorted())
        else { continue }
        error(.unknownWord, "no request fails with the code '\(code)'", at: node.range, fix: fix)
      }
    }
  }
}
