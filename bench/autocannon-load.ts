/** Runs one load with autocannon: `bun autocannon-load.ts FILE`. A separate process, so that it can be bound to a core. */
import { readFileSync } from "node:fs"
import autocannon from "autocannon"
import type { Load, LoadOptions, RawResult } from "./load.ts"

const { load, options } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as {
  load: Load
  options: LoadOptions
}
const keyHeaders = load.keys.length > 0 ? load.keys.map((key) => ({ "x-api-key": key })) : [{}]
const result = await autocannon({
  url: options.url,
  connections: options.connections,
  duration: options.seconds,
  timeout: 30,
  requests: keyHeaders.map((keyHeader) => ({
    method: load.method,
    path: load.path,
    headers: { ...load.headers, ...keyHeader },
    ...(load.body !== undefined && { body: load.body }),
  })),
})
const raw: RawResult = {
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  errorStatuses: result["4xx"] + result["5xx"],
  failures: result.errors + result.timeouts,
}
console.log(JSON.stringify(raw))
