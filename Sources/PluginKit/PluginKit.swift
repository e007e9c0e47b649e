// The kit.
