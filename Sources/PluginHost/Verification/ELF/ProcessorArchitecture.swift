/// Names of processor architectures, as `uname -m` and `plugins.lock` have them.
public enum ProcessorArchitecture {
  /// The name of the architecture that this process runs on, such as `x86_64` or `aarch64`.
  public static let own = name(ofMachine: ownMachine)

  #if arch(x86_64)
    static let ownMachine: UInt16 = 62
  #elseif arch(arm64)
    static let ownMachine: UInt16 = 183
  #elseif arch(riscv64)
    static let ownMachine: UInt16 = 243
  #elseif arch(s390x)
    static let ownMachine: UInt16 = 22
  #elseif arch(powerpc64le)
    static let ownMachine: UInt16 = 21
  #endif

  /// Returns the name of an architecture, or its number if it has no name here.
  ///
  /// - Parameter machine: ELF's `e_machine`.
  /// - Returns: The name.
  static func name(ofMachine machine: UInt16) -> String { machines[machine] ?? "the processor number \(machine)" }

  /// The values of ELF's `e_machine` for processors that run Linux.
  private static let machines: [UInt16: String] = [
    3: "i386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 42: "sh", 43: "sparc64", 62: "x86_64",
    183: "aarch64", 243: "riscv64", 247: "bpf", 258: "loongarch64",
  ]
}
