import PluginKit

/// The settings of `uses: network.reachable`.
struct ReachableSettings: PluginSettings {
  @Setting("The name or the address of the host") var host: String
  @Setting("The TCP port") var port: Int
  @Setting("The time between attempts; at least 1s. After a failure, the first retries come sooner")
  var interval: Duration = .seconds(60)
  @Setting("The timeout of one attempt, including the lookup of the name") var timeout: Duration = .seconds(5)

  func validate() throws {
    guard !host.isEmpty, !host.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
      throw PluginProblem(
        "invalid-settings", setting: "host",
        "it is not the name of a host; use a name or an address such as example.org or 192.0.2.1")
    }
    guard (1...65_535).contains(port) else {
      throw PluginProblem("invalid-settings", setting: "port", "\(port) is not a port; it must be from 1 to 65535")
    }
    guard interval >= .seconds(1) else {
      throw PluginProblem(
        "invalid-settings", setting: "interval",
        "\(DurationNotation.format(interval)) is too short; it must be at least 1s")
    }
    guard timeout >= .milliseconds(1), timeout <= .seconds(3600) else {
      throw PluginProblem(
        "invalid-settings", setting: "timeout", "\(DurationNotation.format(timeout)) is not between 1ms and 1h")
    }
  }
}
