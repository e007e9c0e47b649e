/// Version 18 of the schema: the successes of pipelines in the order of their ends.
enum SuccessSchema {
  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE INDEX run_success ON run_record (pipeline, ended_at) WHERE state = 'succeeded';
    """
}
