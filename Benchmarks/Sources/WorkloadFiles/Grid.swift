/// A grid of steps, numbered from 1, layer by layer.
public struct Grid: Sendable {
  /// How many layers.
  public let layers: Int
  /// How many steps in each layer.
  public let width: Int

  /// Creates a grid; both numbers are at least 1.
  public init(layers: Int, width: Int) {
    self.layers = layers
    self.width = width
  }

  /// How many steps in all.
  public var count: Int { layers * width }

  /// The steps in order, each with the two of the layer before that it needs.
  public var nodes: [(number: Int, needs: [Int])] {
    (0..<count).map { index in
      guard index >= width else { return (index + 1, []) }
      let before = (index / width - 1) * width
      return (index + 1, [before + index % width + 1, before + (index + 1) % width + 1])
    }
  }
}
