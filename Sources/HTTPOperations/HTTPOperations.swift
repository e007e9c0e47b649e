// # HTTPOperations
//
// HTTP requests as operations, on the system's libcurl, with the whole life cycle of a request.
//
// What belongs here: how a request is transferred (`Transport`: `HTTPTransport` and `HTTPClient`, one `curl_multi` on its own thread), and everything
// around it: preparing, validating, processing, classifying, waiting and retrying.
//
// This module must never know about pipelines, plugins, the workspace or its history, or settings files. The retry itself is that of `Operations`.
//
// Read first: `HTTPTransport` (the seam between the two halves), `HTTPTransferRequest` (what is sent), `HTTPTransferError` (what can go wrong).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Events`: server-sent events, as a sequence, a controller and an operation.
// - `Lifecycle`: `HTTPOperation` and its attempts, which combine the folders below.
// - `Retry`: what decides whether a failed request is retried, and what brings a retry forward.
// - `Downloads`, `Authorization`: a result processor that saves a file, and a request processor that adds credentials.
// - `Stages`: the protocols for preparing a request, validating a response and converting it to a value, and their common implementations.
// - `Failures`: the errors of attempts, validators, result processors and downloads.
// - `Client`: `HTTPClient`, the transport on libcurl.
// - `Transport`: requests, responses and failures of one transfer, and the protocol of the transport.
// - `Encoding`: URLs, forms, fields and files, as they are sent.
// - `Media`: media types, charsets, dates and `Retry-After`, as they are read.
