import { signal } from "@preact/signals"
import { sendRequest } from "./browser.ts"
import { noteReachable, noteUnreachable } from "./connection.ts"
import {
  type AnswerOf,
  addressOfRead,
  type InputOf,
  type OperationId,
  type ReadId,
  type ReadInput,
  requestOf,
} from "./operations.ts"

/** A refusal of the service: problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem"
  readonly status: number
  /** The end of its type, such as `not-found`. */
  readonly code: string
  /** The parameter to change; null if it is not about one. */
  readonly parameter: string | null
  readonly requestId: string | null

  constructor(status: number, body: unknown) {
    const { type, title, detail, parameter, request_id } = toRecord(body)
    super(text(detail) ?? text(title) ?? `The service answered with status ${status}.`)
    this.status = status
    this.code = (text(type) ?? "").replace(/^.*[/:]/, "")
    this.parameter = text(parameter)
    this.requestId = text(request_id)
  }
}

/** No answer came: the service or the network is down. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
  constructor() {
    super("The service cannot be reached.")
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

interface SendOptions {
  /** A repeated request has the same key, so that it takes effect once. */
  readonly idempotencyKey?: string | undefined
  /** The version to change; any other is refused (412). */
  readonly ifVersion?: number | undefined
}

/** Proves to the service that a write comes from its own page. */
export const csrfToken = signal("")

/** Whether a session has ended: the screen stays below the sign-in form. */
export const hasEnded = signal(false)

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
 * Calls an operation of the administration for a user who presses a button: one that changes something, whose parameters must
 * not be in an address, or that has no parameters but those of its path.
 * @throws Problem, Unreachable
 */
export function send<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { idempotencyKey, ifVersion }: SendOptions = {},
): Promise<AnswerOf<Id>> {
  const { method, path, rest } = requestOf(id, input)
  const hasBody = method === "POST" || method === "PATCH"
  return fetchJson(path, {
    method,
    ...(hasBody && { body: JSON.stringify(rest) }),
    headers: {
      ...(hasBody && { "content-type": "application/json" }),
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
  if (!response.ok) throw await problemIn(response)
  return (await jsonIn(response)) as T
}

/** The problem that a refusal says. */
export async function problemIn(response: Response): Promise<Problem> {
  if (response.status === 401) signedOutAnswers.value++
  return new Problem(response.status, await jsonIn(response))
}

/**
 * Posts JSON to this service and reads the JSON of its answer.
 * @throws Problem, Unreachable
 */
export function postJson<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" }
  return fetchJson<T>(path, { method: "POST", body: JSON.stringify(body), headers })
}

/**
 * Sends a request to this service.
 * @throws Unreachable, or the error of an aborted request
 */
export async function answerTo(path: string, init: RequestInit): Promise<Response> {
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

/** @throws Unreachable, or the error of an aborted request */
async function jsonIn(response: Response): Promise<unknown> {
  try {
    return parseJson(await response.text())
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}

/** The error to throw when a request has failed: that of an aborted one, or Unreachable. */
function unreachableUnlessAborted(cause: unknown): unknown {
  if (cause instanceof DOMException && cause.name === "AbortError") return cause
  noteUnreachable()
  return new Unreachable()
}

/** Null for text that is not JSON, such as the page of a proxy in front of the service. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
