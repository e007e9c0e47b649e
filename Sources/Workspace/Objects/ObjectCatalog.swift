/// The types whose objects a workspace stores.
struct ObjectCatalog: Sendable {
  private let types: Set<ObjectIdentifier>

  init(_ types: [any Storable.Type]) {
    self.types = Set(types.map { ObjectIdentifier($0) })
  }

  func check(_ type: any Storable.Type, path: String) throws(WorkspaceError) {
    guard types.contains(ObjectIdentifier(type)) else { throw .unknownType(path: path, type: String(describing: type)) }
  }
}

extension Storable {
  /// The untyped part of the schema.
  static var table: TableDescription { schema.table }
}
