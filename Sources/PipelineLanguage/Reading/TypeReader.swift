import Values

extension DocumentReader {
  /// Reads a type, either as a name or in a notation that YAML reads as a collection: `[T]`, `{field: T, optional?: T}`.
  func type(_ node: YAMLNode) -> ValueType? {
    switch node.content {
    case .scalar: return namedType(node)
    case .sequence(let items):
      guard items.count == 1 else {
        wrongForm(node, "a list type", needs: "exactly one type between the brackets")
        return nil
      }
      return type(items[0]).map { .list($0) }
    case .mapping(let entries):
      var fields: [ValueType.Field] = []
      var isComplete = true
      for entry in entries {
        let isOptional = entry.name.hasSuffix("?")
        let name = isOptional ? String(entry.name.dropLast()) : entry.name
        guard let type = fieldType(name, entry), !fields.contains(where: { $0.name == name }) else {
          isComplete = false
          continue
        }
        fields.append(ValueType.Field(name: name, type: type, isOptional: isOptional))
      }
      return isComplete ? .object(fields) : nil
    }
  }

  private func fieldType(_ name: String, _ entry: YAMLEntry) -> ValueType? {
    guard !name.isEmpty else {
      error(.invalidType, "a field of a type needs a name", at: entry.key.range)
      return nil
    }
    return type(entry.value)
  }

  private func namedType(_ node: YAMLNode) -> ValueType? {
    guard !node.isFaulty, let text = node.text else { return nil }
    guard !isNull(node) else {
      if node.text == "null" {
        error(.invalidType, "there is no type 'null'", at: node.range, fix: "did you mean 'none'?")
      } else {
        wrongForm(node, "a type", needs: "a name such as string, int or json")
      }
      return nil
    }
    do {
      return try ValueType.parse(text)
    } catch {
      let rest = text.unicodeScalars.dropFirst(error.offset)
      let length = rest.prefix { $0.properties.isAlphabetic || $0 == "_" || $0 == "-" || ("0"..."9").contains($0) }
        .count
      self.error(
        .invalidType, error.message, at: range(in: node, offset: error.offset, length: max(length, 1)), fix: error.fix
      )
      return nil
    }
  }
}
