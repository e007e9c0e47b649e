extension OpenWorkspace {
  /// Returns why types over tables of the migrations cannot be used with these tables; empty if they can. For the tests of a schema.
  package func mappingFaults(of schema: WorkspaceSchema) throws -> [String] {
    try read { try ObjectTables(schema: schema, path: path).mappingFaults($0) }
  }
}
