// # The driver of the benchmarks
//
// It prepares files, times commands and prints one table. `Commands` reads arguments; `Measuring` starts and times; `Files` writes what is run;
// `Workloads` says what is measured and what it should cost; `Hosting` measures hosts, which run while others ask something of them; `Reporting` turns
// measurements into rows. It knows Penstock only as programs: what can be seen from outside is what is measured.

import ArgumentParser

@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure penstock beside the floors and beside other tools.",
    discussion:
      "Use the Makefile, which builds the programs that are measured: `make bench` and `make bench-host` at the root of the checkout.",
    subcommands: [Comparison.self, Hosting.self], defaultSubcommand: Comparison.self)
}
