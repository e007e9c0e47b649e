import HTTPTypes

/// Determines the next request when a server answers with a redirect. The rules are those of ``HTTPRedirects``.
enum RedirectRule {
  /// Returns the request to send next.
  ///
  /// - Parameters:
  ///   - head: The response.
  ///   - request: The request that it answers.
  ///   - count: The number of redirects followed before.
  /// - Returns: Nil if the response is not a redirect, or is to be delivered.
  /// - Throws: ``HTTPTransferError`` with `too-many-redirects` or `redirect-refused`.
  static func next(
    after head: HTTPResponseHead, to request: HTTPTransferRequest, followed count: Int
  ) throws(HTTPTransferError) -> HTTPTransferRequest? {
    guard case .follow(let limit, let secretFields, let allowsInsecure) = request.options.redirects,
      [301, 302, 303, 307, 308].contains(head.status.code), let location = head.fields[.location]
    else { return nil }
    let from = try CurlURL(request.url)
    guard count < limit else {
      throw HTTPTransferError(
        .tooManyRedirects,
        "\(from.authority) redirects again after \(count) redirects: raise the limit, or check for a loop"
      )
    }
    let target: CurlURL
    do throws(HTTPTransferError) {
      target = try CurlURL(location, relativeTo: from.plain)
    } catch {
      throw HTTPTransferError(
        .redirectRefused, "\(from.authority) redirects to an unusable URL: \(error.message)")
    }
    guard from.scheme == "http" || target.scheme == "https" || allowsInsecure else {
      throw HTTPTransferError(
        .redirectRefused,
        "\(from.authority) redirects from https to http at \(target.authority), where the request would not be encrypted: \(insecureAdvice)"
      )
    }

    var next = request
    if becomesGet(head.status.code, request.method) {
      next.method = request.method == .head ? .head : .get
      next.body = .none
      for name in contentFields { next.fields[name] = nil }
    }
    if target.isSameOrigin(as: from) {
      next.url = target.with(user: from.user, password: from.password)
    } else {
      // Fields can be removed from a request, a body cannot.
      if request.options.keepsBodyAtOrigin, next.body != .none {
        throw HTTPTransferError(
          .redirectRefused,
          "\(from.authority) redirects to \(target.authority), but the body contains a secret, which is not sent to another server: use the new URL if it may receive the secret"
        )
      }
      next.url = target.plain
      next.options.tls.certificate = nil
      for name in credentialFields + secretFields { next.fields[name] = nil }
    }
    return next
  }

  /// Written for pipelines as well as for Swift, whose settings have different names.
  private static let insecureAdvice =
    "use the new URL, or allow the redirect with 'redirects: {insecure: true}' ('allowsInsecure' in Swift)"

  private static func becomesGet(_ status: Int, _ method: HTTPRequest.Method) -> Bool {
    switch status {
    case 303: true
    case 301, 302: method == .post
    default: false
    }
  }

  private static let contentFields: [HTTPField.Name] = [
    .contentType, .contentEncoding, .contentLanguage, .contentLocation,
  ]

  private static let credentialFields: [HTTPField.Name] =
    [.authorization, .cookie, .proxyAuthorization, HTTPField.Name("Host")].compactMap(\.self)
}
