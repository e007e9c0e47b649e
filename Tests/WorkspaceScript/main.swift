// A program with top-level code, like a script: the compiler chooses overloads differently there than in a function.
//
//     WorkspaceScript DIRECTORY

import Workspace

struct Note: Storable {
  var id: Int
  static let id = Field("id", \Note.id)
  static let schema = ObjectSchema("note", Note.init, id, key: id)
}

struct Refusal: Error {}

let workspace = try OpenWorkspace.open(
  at: CommandLine.arguments[1], schema: WorkspaceSchema(applicationID: 1, objects: [Note.self]), mode: .readWrite)
do {
  try await workspace.performChanges([Note.self]) { _ in throw Refusal() }
  print("the error has vanished")
} catch is Refusal {
  print("caught")
}
try await workspace.performChanges([Note.self]) { try $0.submit(Note.creationRequest(Note(id: 1))) }
print(try workspace.fetch(for: Note.self).count())
