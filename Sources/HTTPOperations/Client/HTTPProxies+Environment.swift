import Glibc

extension HTTPProxies {
  /// The proxies that the environment names, as curl reads it: `http_proxy` (in lower case only, since a web server
  /// hands a header `Proxy` to its programs as `HTTP_PROXY`), `https_proxy`, `all_proxy` and `no_proxy`, or the last
  /// three in upper case. A variable that is empty counts as absent.
  ///
  /// - Parameter value: What a variable holds, or nil. By default that of this process, as it is now.
  /// - Returns: The proxies; none where the environment is silent.
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

  /// What a variable of this process's environment holds.
  public static func environmentValue(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
