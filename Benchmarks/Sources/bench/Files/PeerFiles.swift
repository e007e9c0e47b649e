import WorkloadFiles

/// The same work for other tools, as texts.
enum PeerFiles {
  /// Steps of /bin/true with what each needs.
  typealias Steps = [(number: Int, needs: [Int])]

  static func independent(_ count: Int) -> Steps { (1...count).map { ($0, []) } }

  static func chain(_ count: Int) -> Steps { (1...count).map { ($0, $0 == 1 ? [] : [$0 - 1]) } }

  static func makefile(_ steps: Steps) -> String {
    let all = steps.map { "s\($0.number)" }.joined(separator: " ")
    var text = "all: \(all)\n.PHONY: all \(all)\n"
    for step in steps {
      text += "s\(step.number):\(step.needs.map { " s\($0)" }.joined())\n\t/bin/true\n"
    }
    return text
  }

  static func ninja(_ steps: Steps) -> String {
    var text = "rule step\n  command = /bin/true\n"
    for step in steps { text += "build s\(step.number): step\(step.needs.map { " s\($0)" }.joined())\n" }
    return text
  }

  /// One line for each step, for `xargs` and GNU parallel.
  static func lines(_ count: Int) -> String { (1...count).map { "\($0)\n" }.joined() }

  static func bashChain(_ count: Int) -> String { "for ((i = 0; i < \(count); i++)); do /bin/true; done\n" }

  static func bashFanOut(_ count: Int, concurrency: Int) -> String {
    """
    for ((i = 0; i < \(count); i++)); do
      ((i >= \(concurrency))) && wait -n
      /bin/true &
    done
    wait

    """
  }

  /// Layer by layer, which is as near to dependencies as a shell comes.
  static func bashGrid(_ grid: Grid, concurrency: Int) -> String {
    """
    for ((layer = 0; layer < \(grid.layers); layer++)); do
      for ((i = 0; i < \(grid.width); i++)); do
        ((i >= \(concurrency))) && wait -n
        /bin/true &
      done
      wait
    done

    """
  }
}
