import { join } from "node:path"
import { loadCores, pinned } from "./processes.ts"

/** The request of a load. Each connection sends it again as soon as it is answered. */
export interface Load {
  readonly method: "GET" | "POST"
  /** With the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Values of `x-api-key`, used in turn. An empty list sends no such header. */
  readonly keys: readonly string[]
  /** The status that every answer must have. */
  readonly status: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The figures that wrk prints. */
interface RawResult extends LoadResult {
  /** Answers with a status of 400 or more. */
  readonly errorStatuses: number
  /** Connections that were refused, broke off or timed out. */
  readonly failures: number
}

interface LoadOptions {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Where the input files of wrk are written. */
  readonly directory: string
}

/**
 * Loads a server with wrk.
 * @throws Error when a request failed or got another status than the load expects
 */
export async function runLoad(load: Load, options: LoadOptions): Promise<LoadResult> {
  await requireStatus(load, options.url)
  const command = pinned(await wrkCommand(load, options), loadCores)
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
  const [output, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`wrk ended with ${code}: ${output}`)
  const { errorStatuses, failures, ...result } = JSON.parse(
    output.trimEnd().split("\n").at(-1) ?? "",
  ) as RawResult
  const expected = load.status >= 400 ? result.requests : 0
  if (failures > 0 || errorStatuses !== expected) {
    throw new Error(
      `${load.method} ${load.path}: of ${result.requests} requests ${failures} failed and ${errorStatuses} had an error status`,
    )
  }
  return result
}

/** Sends one request first: wrk only counts statuses of 400 and more. */
async function requireStatus(
  { method, path, headers, body, keys, status }: Load,
  url: string,
): Promise<void> {
  const [key] = keys
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(key !== undefined && { "x-api-key": key }) },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (response.status !== status) {
    throw new Error(`${method} ${path} was answered ${response.status}, not ${status}: ${text}`)
  }
}

async function wrkCommand(
  load: Load,
  { url, connections, seconds, directory }: LoadOptions,
): Promise<string[]> {
  const script = join(directory, "wrk.lua")
  const keyFile = join(directory, "wrk-keys.txt")
  await Bun.write(keyFile, load.keys.map((key) => `${key}\n`).join(""))
  await Bun.write(script, luaScript(load, keyFile))
  return ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout=30s", `-s${script}`, url + load.path]
}

function luaScript({ method, headers, body, keys }: Load, keyFile: string): string {
  const [key] = keys
  const all = key === undefined ? headers : { ...headers, "x-api-key": key }
  return [
    `wrk.method = ${lua(method)}`,
    ...Object.entries(all).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`),
    ...(body === undefined ? [] : [`wrk.body = ${lua(body)}`]),
    // wrk calls a `request` function for every request, so there is none when all requests are the same.
    ...(keys.length > 1 ? [luaKeysInTurn.replace("KEY_FILE", lua(keyFile))] : []),
    luaReport,
  ].join("\n")
}

const luaKeysInTurn = `
local requests, last = {}, 0
function init()
  for key in io.lines(KEY_FILE) do
    wrk.headers["x-api-key"] = key
    requests[#requests + 1] = wrk.format()
  end
end
function request()
  last = last % #requests + 1
  return requests[last]
end`

const luaReport = `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"errorStatuses":%d,"failures":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`

/** A Lua string literal. Every byte that is not a letter or a digit is written as its number. */
function lua(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9]/.test(character) ? character : `\\${String(byte).padStart(3, "0")}`
  })
  return `"${bytes.join("")}"`
}
