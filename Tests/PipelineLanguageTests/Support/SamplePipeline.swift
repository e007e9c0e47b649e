/// A pipeline that uses every available key of the language, for tests of the whole.
let samplePipeline = #"""
  name: release-digest
  description: Fetches a release feed and mails a digest.
  params:
    feed: { type: string, default: "http://127.0.0.1:8080/releases.json", description: Where the feed lives }
    limit: { type: int, default: 20, min: 1, max: 500 }
    level: { enum: [low, high], default: low }
    tag: { type: string, pattern: "v\\d+", default: v1 }
    names: { type: [string], default: [a, b] }
    plain: { default: 1.5 }
  env: { LC_ALL: C, PORT: 8080, TOKEN: "${{ secrets.token }}" }
  secrets:
    token: { env: FEED_TOKEN }
    key: { file: ./key.txt }
    code: { command: [pass, show, code] }
  defaults: { timeout: 30s, grace: 5s, retry: 1, env: { A: b }, directory: ., shell: [bash, -euo, pipefail, -c] }
  concurrency: 4
  order: graph
  overlap: queue
  resources: { gpu: 2, disk: 1 }
  timeout: 1h30m

  operations:
    - name: fetch
      description: Gets the feed
      command: [cat, "${{ params.feed }}", "limit=${{ params.limit }}"]
      result: [{ tag: string, notes: string, draft?: bool }]
      retry:
        limit: 5
        backoff: exponential
        base: 200ms
        max: 30s
        jitter: full
        deadline: 10m
        on: [timeout, { exit: [1, 2] }, { exit: 75 }, { signal: SIGKILL }, { error: [result-mismatch] }]
      resources: { gpu: 1 }
      exclusive: feed-${{ params.level }}
      stale_after: 1h
    - name: count
      inject: fetch
      run: |
        # one line each
        jq length
      result: int
      requires: [{ tag: string }]
      timeout: 5s
      grace: 1s
      allow_failure: true
    - name: digest
      inject:
        total: ${{ results.count }}
        first: ${{ results.fetch[0].tag }}
      run: printf '%s releases, newest %s\n' "$total" "$first"
      shell: bash
      env: { WHO: "${{ run.id }}" }
      directory: "${{ run.directory }}"
    - name: archive
      for_each: { in: "${{ results.fetch }}", as: release, concurrency: 8 }
      inject: { tag: "${{ release.tag }}" }
      command: [./archive, --tag, "${{ release.tag }}"]
      when: ${{ !release.draft }}
      exclusive: archive-disk
    - name: grid
      needs: [archive]
      matrix: { os: [linux, mac], n: [1, 2] }
      run: echo
      stdin: "${{ item.os }} ${{ item.n }}"
    - { name: list, for_each: [1, 2, three], value: { n: "${{ item }}", text: "no ${{ item }}" } }
    - name: poll
      run: ./ready
      result: bool
      repeat: { until: results.poll == true, every: 2s, limit: 10 }
    - { name: pause, wait: 5s, needs: digest }
    - { name: until, wait: { until: "2026-01-31T08:00:00Z" } }
    - { name: nap, wait: { for: "${{ format('{0}s', params.limit) }}" } }
    - { name: ask, approve: "Send ${{ results.count || 0 }}?" }
    - { name: ask-again, approve: { message: Sure? }, when: results.ask.approved }
  after:
    success: [{ name: done, run: "true" }]
    failure: [{ name: page, command: [notify, "${{ errors.fetch.message }}"] }]
    cancel: [{ name: clean, run: rm -rf out }]
    always: [{ name: tidy, run: "true", when: "${{ always() }}" }]
  """#
