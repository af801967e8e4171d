import { signal } from "@preact/signals"
import { createParser } from "eventsource-parser"
import { sendRequest } from "./browser.ts"
import { noteReachable, noteUnreachable } from "./connection.ts"
import {
  type AnswerOf,
  addressOfRead,
  type InputOf,
  type ReadId,
  type ReadInput,
  requestOf,
  type SendId,
} from "./operations.ts"
import { Problem, Unreachable } from "./problem.ts"

interface SendOptions {
  /** A repeated request has the same key, so that it takes effect once. */
  readonly idempotencyKey?: string | undefined
  /** The version to change; any other is refused (412). */
  readonly ifVersion?: number | undefined
}

interface WatchListener<Entry> {
  onOpen(): void
  onEntry(entry: Entry): void
  onLost(count: number): void
}

/** Proves to the service that a write comes from its own page. */
export const csrfToken = signal("")

/** Rises with each 401. */
export const signedOutAnswers = signal(0)

/**
 * Reads from an operation of the administration.
 * @throws Problem, Unreachable
 */
export function read<Id extends ReadId>(
  id: Id,
  input: ReadInput<Id>,
  signal?: AbortSignal,
): Promise<AnswerOf<Id>> {
  return fetchJson(addressOfRead(id, input), signal ? { signal } : {})
}

/**
 * Calls an operation of the administration that changes something, or whose parameters must not be in an address.
 * @throws Problem, Unreachable
 */
export function send<Id extends SendId>(
  id: Id,
  input: InputOf<Id>,
  { idempotencyKey, ifVersion }: SendOptions = {},
): Promise<AnswerOf<Id>> {
  const { method, path, rest } = requestOf(id, input)
  return fetchJson(path, {
    method,
    ...(method !== "DELETE" && { body: JSON.stringify(rest) }),
    headers: {
      ...(method !== "DELETE" && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(ifVersion !== undefined && { "if-match": `"${ifVersion}"` }),
    },
  })
}

/**
 * Sends a request to this service and reads its JSON.
 * @throws Problem, Unreachable
 */
export async function fetchJson<T>(path: string, init: RequestInit): Promise<T> {
  const response = await answerTo(path, init)
  const text = await textOf(response)
  const body = parse(text)
  return response.ok ? (body as T) : refuse(response, body)
}

function refuse({ status, headers }: Response, body: unknown): never {
  if (status === 401) signedOutAnswers.value++
  throw new Problem(status, body, headers.get("retry-after"))
}

/**
 * Watches an operation, whose answer is server-sent events (HTML Standard §9.2), until the service ends them or `signal` aborts.
 * A browser's own EventSource tells neither why it was refused nor that nobody is signed in any more.
 * @param onOpen is called when the service has begun to answer
 * @param onLost gets how many entries the service has left out
 * @throws Problem, Unreachable
 */
export async function watch<Id extends ReadId>(
  id: Id,
  input: ReadInput<Id>,
  signal: AbortSignal,
  { onOpen, onEntry, onLost }: WatchListener<AnswerOf<Id>>,
): Promise<void> {
  const response = await answerTo(addressOfRead(id, input), {
    signal,
    headers: { accept: "text/event-stream" },
  })
  if (!response.ok || !response.body) return refuse(response, parse(await textOf(response)))
  onOpen()
  const parser = createParser({
    onEvent({ event = "message", data }) {
      if (event === "message") onEntry(JSON.parse(data))
      if (event === "lost") onLost(JSON.parse(data).count)
    },
  })
  try {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value)
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}

async function answerTo(path: string, init: RequestInit): Promise<Response> {
  const isWrite = init.method !== undefined
  try {
    const response = await sendRequest(path, {
      ...init,
      cache: "no-store",
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(isWrite && csrfToken.value !== "" && { "x-csrf-token": csrfToken.value }),
        ...init.headers,
      },
    })
    noteReachable()
    return response
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}

function unreachableUnlessAborted(cause: unknown): unknown {
  if (cause instanceof DOMException && cause.name === "AbortError") return cause
  noteUnreachable()
  return new Unreachable()
}

/** Null for text that is not JSON, such as the page of a proxy in front of the service. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
