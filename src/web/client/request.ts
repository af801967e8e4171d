import { signal } from "@preact/signals"
import { createParser } from "eventsource-parser"
import { area } from "./area.ts"
import { sendRequest } from "./browser.ts"
import { noteReachable, noteUnreachable } from "./connection.ts"
import { Problem, Unreachable } from "./problem.ts"

export type QueryValue = string | number | boolean | readonly string[] | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

export interface WriteOptions {
  /** The same for a request that is sent again, so that it takes effect once. */
  readonly idempotencyKey?: string | undefined
  /** The version that is changed; another one is refused (412). */
  readonly ifVersion?: number | undefined
}

/** Proves to the service that a write comes from its own page. */
export const csrfToken = signal("")

/** Rises when the service says that nobody is signed in. */
export const signedOutAnswers = signal(0)

/**
 * Reads from an operation of the administration.
 * @param path below `/admin/v1` or `/portal/v1`
 * @throws Problem, Unreachable
 */
export function read<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return send(area.api + path + toQueryString(query), signal ? { signal } : {})
}

/**
 * Changes something with an operation of the administration.
 * @throws Problem, Unreachable
 */
export function write<T>(
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  body: unknown = {},
  { idempotencyKey, ifVersion }: WriteOptions = {},
): Promise<T> {
  return send(area.api + path, {
    method,
    ...(method !== "DELETE" && { body: JSON.stringify(body) }),
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
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await answerTo(path, init)
  const text = await textOf(response)
  const body = parse(text)
  return response.ok ? (body as T) : refuse(response, body)
}

function refuse({ status }: Response, body: unknown): never {
  if (status === 401) signedOutAnswers.value++
  throw new Problem(status, body)
}

/**
 * Reads server-sent events (HTML Standard §9.2) until the service ends them or `signal` aborts. A browser's own EventSource tells
 * neither why it was refused nor that nobody is signed in any more.
 * @param onOpen is called when the service has begun
 * @param onEvent gets the name of an event, `message` without one, and its JSON
 * @throws Problem, Unreachable
 */
export async function readEvents(
  path: string,
  query: Query,
  signal: AbortSignal,
  { onOpen, onEvent }: { onOpen(): void; onEvent(name: string, data: unknown): void },
): Promise<void> {
  const response = await answerTo(area.api + path + toQueryString(query), {
    signal,
    headers: { accept: "text/event-stream" },
  })
  if (!response.ok || !response.body) return refuse(response, parse(await textOf(response)))
  onOpen()
  const parser = createParser({ onEvent: ({ event = "message", data }) => onEvent(event, parse(data)) })
  try {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value)
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}

/** The query string of an address, with its question mark; empty values are left out. */
export function toQueryString(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each))
  }
  const text = params.toString()
  return text === "" ? "" : `?${text}`
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

/** Null for what is no JSON, such as the page of a proxy in front of the service. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
