// # HTTPOperations
//
// HTTP requests as operations, on the system's libcurl, with the whole life of a request.
//
// Here belong: how a request travels (`Transport`: `HTTPTransport` and `HTTPClient`, one `curl_multi` on a thread of
// its own), and what happens around that: preparing, validating, processing, classifying, waiting, trying again.
//
// It must never know pipelines, plugins, the workspace or its history, or files of settings. Retrying itself is that of
// `Operations`.
//
// Read first: `HTTPTransport` (the seam between the two halves), `HTTPTransferRequest` (what is sent), `HTTPTransferError`
// (what can go wrong).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Events`: server-sent events, as a sequence, a controller and an operation.
// - `Lifecycle`: `HTTPOperation` and its attempts, which put the folders below together.
// - `Retry`: who says whether a failed request is retried, and what brings a retry forward.
// - `Downloads`, `Authorization`: a result processor that saves a file, a request processor that says who asks.
// - `Stages`: what prepares a request, validates a response and makes a value of it: the protocols, and those everybody needs.
// - `Failures`: what an attempt, a validator, a result processor and a download fail with.
// - `Client`: `HTTPClient`, the transport on libcurl.
// - `Transport`: requests, responses and failures of one transfer, and the protocol of what carries it.
// - `Encoding`: URLs, forms, fields and files, as they are sent.
// - `Media`: media types, charsets, dates and `Retry-After`, as they are read.
