import OperationsTesting

/// A pipeline of sixty operations whose layers fan out and in again, each result being computed from earlier ones.
///
/// Each process notes its start in a file of its operation and holds a lock on another while it lives, which reveals two simultaneous processes of
/// one operation.
struct DiamondPipeline {
  let text: String
  /// The pipeline that the operation `inner` runs.
  let nested: String

  private static let widths = [1, 4, 8, 11, 11, 9, 6, 3, 1]

  /// What every process does first. `flock` holds the lock as long as the shell or one of its children lives.
  private static let prologue = """
          exec 9>"$SOAK_EFFECTS/$PENSTOCK_OPERATION.lock"
          flock -n 9 || { echo "$PENSTOCK_OPERATION" >>"$SOAK_EFFECTS/overlaps"; exit 99; }
          printf '%s %s %s\\n' "$PENSTOCK_OPERATION" "$PENSTOCK_ATTEMPT" "$$" >>"$SOAK_EFFECTS/$PENSTOCK_OPERATION.log"
    """

  init(random: inout SeededRandom) {
    var lines = ["name: diamond", "concurrency: 4", "operations:"]
    for (layer, width) in Self.widths.enumerated() {
      for place in 0..<width {
        let before = layer == 0 ? [] : Self.dependencies(layer, place, random: &random)
        lines += Self.operation("l\(layer)-\(place)", before: before, isFlaky: random.oneIn(9), random: &random)
      }
    }
    lines += [
      "  - { name: scale, value: \"${{ results.l1-0 }}\", result: int }",
      "  - name: spread",
      "    for_each: { in: \"${{ fromJSON(format('[{0}, 2, 3, 4, 5]', results.l2-1)) }}\", concurrency: 2 }",
      "    inject: { a: \"${{ item }}\", b: \"${{ results.scale }}\" }",
      "    result: int",
      "    run: |",
      Self.prologue,
      "      sleep 0.00\(Int.random(in: 1...9, using: &random))",
      "      echo $((a + b))",
      "  - name: inner",
      "    pipeline: inner.yaml",
      "    params: { start: \"${{ results.l3-2 }}\" }",
      "  - name: bulk",
      "    needs: [l0-0]",
      "    result: string",
      "    run: |",
      Self.prologue,
      "      head -c 1100000 /dev/zero | tr '\\0' x",
      "  - { name: early, value: \"${{ format('{0}-{1}', results.bulk, results.l1-1) }}\" }",
      "  - { name: late, value: \"${{ format('{0}-{1}', results.bulk, results.l6-1) }}\" }",
    ]
    text = lines.joined(separator: "\n") + "\n"
    var inner = [
      "name: inner", "params: { start: { type: int } }", "operations:",
      "  - { name: inner-0, value: \"${{ params.start }}\", result: int }",
    ]
    for step in 1...4 {
      inner += Self.operation("inner-\(step)", before: ["inner-\(step - 1)"], isFlaky: step == 2, random: &random)
    }
    nested = inner.joined(separator: "\n") + "\n"
  }

  private static func dependencies(_ layer: Int, _ place: Int, random: inout SeededRandom) -> [String] {
    let width = widths[layer - 1]
    // Always the one above, so that the diamond is connected, and up to two others.
    var places = Set([place % width])
    for _ in 0..<2 { places.insert(Int.random(in: 0..<width, using: &random)) }
    return places.sorted().map { "l\(layer - 1)-\($0)" }
  }

  private static func operation(
    _ name: String, before: [String], isFlaky: Bool, random: inout SeededRandom
  ) -> [String] {
    let letters = ["a", "b", "c"].prefix(before.count)
    var lines = ["  - name: \(name)", "    result: int"]
    if !before.isEmpty {
      let members = zip(letters, before).map { "\($0): \"${{ results.\($1) }}\"" }
      lines.append("    inject: { \(members.joined(separator: ", ")) }")
    }
    if isFlaky { lines.append("    retry: { limit: 3, backoff: constant, base: 5ms, jitter: none }") }
    lines += ["    run: |", prologue, "      sleep 0.0\(format(Int.random(in: 0...30, using: &random)))"]
    // Fails until it has begun twice, on any host.
    if isFlaky { lines.append("      [ \"$(wc -l <\"$SOAK_EFFECTS/$PENSTOCK_OPERATION.log\")\" -ge 2 ]") }
    let sum = (letters + ["\(Int.random(in: 1...99, using: &random))"]).joined(separator: " + ")
    lines.append("      echo $(( (\(sum)) * 7 % 9973 ))")
    return lines
  }

  private static func format(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
