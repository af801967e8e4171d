import { createId, createSecret, hashKey, visiblePrefix } from "../../src/accounts/key.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { AdminKeyRecord } from "../../src/store/admin-store.ts"
import { openStore } from "../../src/store/open.ts"
import { checkAdminAnswer } from "./admin-answer-check.ts"
import type { TestService } from "./service.ts"

/** Makes an admin key in the store that `--db` names, as another process would. It may do everything by default. */
export async function createTestAdminKey(
  db: string,
  { permissions = ["*"], ...more }: Partial<AdminKeyRecord> = {},
) {
  const { store, admin } = await openStore(db, {
    timer: keepAliveTimer,
    clock: systemClock,
    random: systemRandom,
    // Tests run on machines that have other work too.
    limitMs: 30_000,
  })
  try {
    const key = createSecret("adminKey", systemRandom)
    const id = createId("adm", systemRandom)
    const times = { createdMs: 1_000, expiresMs: null, revokedMs: null }
    const adminKey = { id, name: "ops", prefix: visiblePrefix(key), permissions, ...times, ...more }
    const outcome = await admin.apply({
      mutations: [{ kind: "adminKey.insert", adminKey, hash: hashKey(key) }],
      audit: { ...noAudit, id: createId("aud", systemRandom) },
      replay: null,
    })
    if (outcome !== "applied") throw new Error(`the admin key is ${outcome}`)
    return { id, key }
  } finally {
    await store.close()
  }
}

const noAudit = {
  atMs: 1_000,
  actor: "cli:test",
  actorName: "test",
  operation: "admins.create",
  targetKind: "admin key",
  targetId: "adm_test",
  accountId: null,
  before: null,
  after: null,
  source: "test",
  requestId: "test",
}

/** An answer of the admin API, read. */
export interface AdminAnswer {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the body, a problem's too; the text when it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
}

interface AdminRequest {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
}

/**
 * Sends requests to the admin API at an address, with a key unless the request has one. Throws when an answer does not fit the
 * OpenAPI document.
 */
export function adminClient(url: string, defaultKey: string | null) {
  return async (method: string, path: string, request: AdminRequest = {}): Promise<AdminAnswer> => {
    const { key = defaultKey, body, headers } = request
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        ...(key !== null && { "x-admin-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    await checkAdminAnswer(method, `/admin/v1${path}`, response)
    const text = await readText(response)
    const isJson = /\bjson$/.test(response.headers.get("content-type") ?? "")
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : {},
      text,
    }
  }
}

/** The text of an answer; of server-sent events, which never end, the first ones. */
async function readText(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text()
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

/** A client of a service's admin API that may do everything. */
export async function adminOf(service: Pick<TestService, "url" | "db">) {
  const { key } = await createTestAdminKey(service.db)
  return adminClient(service.url, key)
}
