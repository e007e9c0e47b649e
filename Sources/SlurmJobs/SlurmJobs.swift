// # SlurmJobs
//
// What a host and the worker on a node of a Slurm cluster agree on: the directory of an attempt and the files in it, and how the output and the states of
// Slurm are read. It must never know runs, pipelines or the history. Clients of Slurm are started for `penstock doctor` only; the executor in
// `PipelineEngine` starts its own.
//
// Read first: ``AttemptFolder`` (the files of an attempt, and who writes which), ``JobWorker`` (the only program that Slurm starts), ``SlurmState`` (what
// becomes of an attempt without an end record).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Clients`: calls Slurm's clients for a command that waits for them, and reads the configuration of the cluster.
// - `Worker`: runs one attempt on a node.
// - `Attempts`: the directory of an attempt.
// - `Queue`: the answers of `squeue`.
