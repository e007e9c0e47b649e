// HTTPOperations: HTTP requests as operations, on the system's libcurl, with the whole life of a request.
//
// Here belong: how a request travels (`Transport`: `HTTPTransport` and `HTTPClient`, one `curl_multi` on a thread of
// its own), and what happens around that: preparing, validating, processing, classifying, waiting, trying again.
//
// Not here: retrying itself, which is that of `Operations`; anything of pipelines, plugins, the workspace or its
// history; files of settings.
//
// Read first: `HTTPTransport`, the seam between the two halves; `HTTPTransferRequest`, what is sent;
// `HTTPTransferError`, what can go wrong.
