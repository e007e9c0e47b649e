import Glibc

extension HTTPProxies {
  /// Returns the proxies from the environment, as curl reads it: `http_proxy` (only in lower case, because a web server passes a header `Proxy` to its
  /// programs as `HTTP_PROXY`), `https_proxy`, `all_proxy` and `no_proxy`, or the last three in upper case. An empty variable counts as unset.
  ///
  /// - Parameter value: Returns the value of a variable, or nil. Defaults to the current environment of this process.
  /// - Returns: The proxies; none if no variable is set.
  public static func fromEnvironment(_ value: (String) -> String? = HTTPProxies.environmentValue) -> HTTPProxies {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap(value).first { !$0.isEmpty }
    }
    let all = first("all_proxy", "ALL_PROXY")
    return HTTPProxies(
      http: first("http_proxy") ?? all,
      https: first("https_proxy", "HTTPS_PROXY") ?? all,
      bypass: first("no_proxy", "NO_PROXY") ?? "")
  }

  /// Returns the value of an environment variable of this process.
  public static func environmentValue(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
