/// The pipeline files of the workloads, as texts.
public enum PipelineFiles {
  /// `count` independent operations that run a command: by default /bin/true.
  public static func fanOut(count: Int, concurrency: Int, command: String = "/bin/true") -> String {
    var text = "name: fan-out\nconcurrency: \(concurrency)\noperations:\n"
    for number in 1...count { text += "  - { name: step-\(number), command: [\(command)] }\n" }
    return text
  }

  /// `count` operations that run /bin/true one after the other.
  public static func chain(count: Int) -> String {
    var text = "name: chain\norder: chain\noperations:\n"
    for number in 1...count { text += "  - { name: step-\(number), command: [/bin/true] }\n" }
    return text
  }

  /// `layers` × `width` operations that run /bin/true; each but the first layer's needs two of the layer before.
  public static func grid(_ grid: Grid, concurrency: Int) -> String {
    var text = "name: grid\nconcurrency: \(concurrency)\noperations:\n"
    for node in grid.nodes {
      let needs = node.needs.map { "step-\($0)" }.joined(separator: ", ")
      text += "  - { name: step-\(node.number), \(needs.isEmpty ? "" : "needs: [\(needs)], ")command: [/bin/true] }\n"
    }
    return text
  }

  /// A JSON object of about 200 bytes.
  public static let object =
    #"{"id":4711,"name":"penstock","tags":["gate","pipe","turbine"],"size":{"width":1.5,"height":2.25},"#
    + #""draft":false,"notes":"leads the water to the wheel, and no further","parent":null,"path":"/srv/data/one","rest":17}"#

  /// `count` operations, the first of which prints ``object``, each other of which reads and prints its predecessor's result.
  public static func jsonChain(count: Int) -> String {
    var text = "name: json-chain\nconcurrency: 1\noperations:\n"
    text += "  - { name: step-1, command: [/bin/echo, '\(object)'], result: json }\n"
    for number in 2...count {
      text += "  - { name: step-\(number), inject: step-\(number - 1), command: [/bin/cat], result: json }\n"
    }
    return text
  }

  /// `count` independent operations that evaluate a small expression.
  public static func values(count: Int) -> String {
    var text = "name: values\nparams:\n  word: { type: string, default: gate }\noperations:\n"
    for number in 1...count {
      text += "  - { name: value-\(number), value: \"${{ format('{0}-{1}', params.word, \(number)) }}\" }\n"
    }
    return text
  }

  /// `count` independent operations of the plugin `echo` at `plugin`, which runs in the process of the host.
  public static func plugins(count: Int, plugin: String) -> String {
    var text = "name: plugins\nplugins:\n  echo: { path: '\(plugin)', isolation: host }\noperations:\n"
    for number in 1...count { text += "  - { name: echo-\(number), uses: echo }\n" }
    return text
  }

  /// `count` operations of five kinds, about sixty bytes each, that depend on each other in every way there is.
  public static func mixture(count: Int) -> String {
    var text = "name: mixture\nparams:\n  base: { type: string, default: /srv/data }\noperations:\n"
    for number in 0..<count {
      switch number % 5 {
      case 0:
        let needs = number == 0 ? "" : "    needs: [keep-\(number - 1)]\n"
        text += "  - name: list-\(number)\n\(needs)    command: [/bin/echo, list]\n"
      case 1: text += "  - name: count-\(number)\n    inject: list-\(number - 1)\n    run: wc -c\n    result: int\n"
      case 2:
        text +=
          "  - name: pick-\(number)\n    inject: { n: \"${{ results.count-\(number - 1) }}\" }\n    run: echo $n\n"
      case 3:
        text += "  - name: send-\(number)\n    needs: [pick-\(number - 1)]\n    run: ./send\n    retry: { limit: 3 }\n"
      default: text += "  - name: keep-\(number)\n    value: ${{ params.base }}/${{ results.list-\(number - 4) }}\n"
      }
    }
    return text
  }
}
