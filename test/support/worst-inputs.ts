import { afterAll } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { ownCommand } from "./own-command.ts"
import { mainThreadMs, processMs } from "./processor-time.ts"
import { tempDir } from "./temp.ts"
import { type SeenTurns, watchTurns } from "./turn-watch.ts"

type Input = Readonly<Record<string, unknown>>

/** Inputs that take much time or memory, by what they are. */
export type WorstInputs = Readonly<Record<string, Input>>

/** A service in another process. */
export interface WatchedService {
  readonly url: string
  readonly pid: number
  /** The first key of the first account. */
  readonly key: string
  /** The keys of each account. */
  readonly keys: readonly (readonly string[])[]
}

/**
 * Starts a service from its source. It ends after the tests of the file.
 * @param keys how many keys each of its accounts has
 */
export const startWatchedService = (...keys: readonly number[]): Promise<WatchedService> =>
  startWatchedServiceWith([], ...keys)

/** The same with flags of `serve`. */
export async function startWatchedServiceWith(
  flags: readonly string[],
  ...keys: readonly number[]
): Promise<WatchedService> {
  const { db, created } = await createAccounts(keys)
  const program = [join(import.meta.dir, "../../src/main.ts"), "serve", "--json", "--port", "0"]
  return startProgram([...program, "--db", db, ...flags], created)
}

/** The same with a program of the tests, which gets the data file and the arguments. */
export async function startWatchedProgram(
  file: string,
  args: readonly string[],
  ...keys: readonly number[]
): Promise<WatchedService> {
  const { db, created } = await createAccounts(keys)
  return startProgram([file, db, ...args], created)
}

async function startProgram(argv: readonly string[], created: readonly (readonly string[])[]) {
  const child = Bun.spawn([process.execPath, ...argv], { stdout: "pipe", stderr: "ignore" })
  afterAll(async () => {
    // A stopping service would wait for calls that run.
    child.kill("SIGKILL")
    await child.exited
  })
  let text = ""
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes("\n")) break
  }
  const [listening = ""] = text.split("\n")
  return { url: JSON.parse(listening).url, pid: child.pid, key: created[0]?.[0] ?? "", keys: created }
}

/** A data file with accounts, and their keys. */
async function createAccounts(keys: readonly number[]) {
  const db = join(tempDir(), "store.db")
  const created: string[][] = []
  for (const count of keys) {
    const { id } = await runJson(db, "account", "create", "--name", "one", "--plan", "enterprise")
    const ofAccount: string[] = []
    while (ofAccount.length < count)
      ofAccount.push(String((await runJson(db, "key", "create", "--account", String(id))).key))
    created.push(ofAccount)
  }
  return { db, created }
}

async function runJson(db: string, ...argv: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { exitCode, output, errors } = await ownCommand([...argv, "--db", db, "--json"])
  if (exitCode !== 0) throw new Error(errors)
  return JSON.parse(output)
}

/** The effect of a call with a worst input on other calls. */
interface Strain extends SeenTurns {
  readonly status: number
  readonly error: string | null
  /** Credits that it cost. */
  readonly charged: number
  /** The processor time that it took in other threads than the main one, in milliseconds, with what went on after the answer. */
  readonly inThreadsMs: number
}

/** Calls an API with an input, and asks for `/health` all the while. */
export async function strain(
  service: WatchedService,
  api: Pick<ApiDefinition, "id" | "method">,
  input: Input,
): Promise<Strain> {
  const before = await creditsUsed(service)
  const beforeMs = await quietThreadsMs(service)
  const { result, ...turns } = await watchTurns(service, () => fetch(requestFor(service, api, input)))
  const { error } = (await result.json()) as { error: string | null }
  const inThreadsMs = (await quietThreadsMs(service)) - beforeMs
  return {
    status: result.status,
    error,
    charged: (await creditsUsed(service)) - before,
    inThreadsMs,
    ...turns,
  }
}

/** Waits until no thread of a service computes besides its main one, and returns the processor time of the others so far. */
async function quietThreadsMs({ url, pid }: WatchedService): Promise<number> {
  for (let quiet = 0; quiet < 10; quiet++) {
    await (await fetch(`${url}/health`)).text()
    if (workerRuns(pid)) quiet = 0
  }
  return threadsMs(pid)
}

/** Whether a thread with APIs in it runs now, or could if it had a processor. */
function workerRuns(pid: number): boolean {
  const files = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/stat`)
  return files.some((file) => existsSync(file) && readFileSync(file, "latin1").includes(" (Worker) R "))
}

/** The processor time of all threads of a process but its main one, with those that have ended, in milliseconds. */
const threadsMs = (pid: number): number => processMs(pid) - mainThreadMs(pid)

/** A call with the key of a service. */
export function requestFor(
  { url, key }: Pick<WatchedService, "url" | "key">,
  { id, method }: Pick<ApiDefinition, "id" | "method">,
  input: Input,
): Request {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const place = `${url}/v1/${id}`
  if (method === "POST") return new Request(place, { method, headers, body: JSON.stringify(input) })
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return new Request(`${place}?${query}`, { headers })
}

/** The credits that a key of a service has used. */
export async function creditsUsed({ url, key }: Pick<WatchedService, "url" | "key">): Promise<number> {
  const answer = await fetch(`${url}/v1/usage`, { headers: { "x-api-key": key } })
  await answer.text()
  return Number(answer.headers.get("x-api-credits-used"))
}

/** The memory of a process in MB: now, and the most so far. */
export function memoryOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_000
  return { nowMb: read("VmRSS"), mostMb: read("VmHWM") }
}
