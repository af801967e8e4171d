import { promisify } from "node:util"
import fresh from "fresh"
import type { Picture } from "../../config/brand.ts"
import { once } from "../../values/once.ts"
import { preferredCoding } from "./reply/format.ts"
import type { AnswerSettings } from "./request.ts"

/** A text, or bytes of a picture. */
type Read = string | Uint8Array<ArrayBuffer>

/** A text or a picture that stays the same for as long as the process runs, made when it is first asked for. */
interface ResourceSource {
  readonly headers: Readonly<Record<string, string>>
  read(): Read | Promise<Read>
}

/**
 * Bytes that all answers with them share. Bun copies a `Uint8Array` for each answer, and the copy stays in memory until its
 * client has read it; of a `Blob` it sends the bytes themselves. It is a class, since Elysia would send parts of a plain `Blob`
 * to clients that ask for ranges.
 */
export class SharedBytes extends Blob {}

/**
 * Returns the bytes of a resource as UTF-8, plain or compressed, and sets its headers; null for a client whose copy is still
 * good.
 */
export type Resource = (request: Request, set: AnswerSettings) => Promise<SharedBytes | null>

/** Loads and compresses a resource once, and gives it an ETag (RFC 9110 §8.8.3), so that a client need not load it again. */
export function createResource({ headers, read }: ResourceSource): Resource {
  const load = once(async () => {
    const made = await read()
    const text = typeof made === "string" ? new TextEncoder().encode(made) : made
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)
    const [identity, gzip] = [new SharedBytes([text]), new SharedBytes([await compress(text)])]
    return { identity, gzip, hash }
  })

  return async (request, set) => {
    const { hash, ...forms } = await load()
    // Kept, but revalidated before each use: another version of the program has other bytes at the same path.
    Object.assign(set.headers, headers, { "cache-control": "no-cache" })
    const coding = chooseForm(request, set, hash, ["gzip"])
    return coding && forms[coding]
  }
}

/** Sets the headers of bytes that have several forms. Returns the form to send; null for a client whose copy is still good. */
export function chooseForm<Form extends string>(
  { headers }: Request,
  set: AnswerSettings,
  tag: string,
  compressed: readonly Form[],
): Form | "identity" | null {
  // Weak, since the compressed forms have the same tag.
  const etag = `W/"${tag}"`
  Object.assign(set.headers, { etag, vary: "Accept-Encoding" })
  if (fresh(headers.toJSON(), { etag })) {
    set.status = 304
    return null
  }
  const coding = preferredCoding(headers, compressed)
  if (coding !== "identity") set.headers["content-encoding"] = coding
  return coding
}

/** Loads what compresses with the first resource. Like all of Node's streams, it would make each start longer. */
async function compress(plain: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { gzip } = await import("node:zlib")
  return promisify(gzip)(plain)
}

/** A page may load what this host serves and run no inline script. No other site may frame it, where a click could be stolen. */
function policyOf(more: Readonly<Record<string, string>>): string {
  const rules = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...more,
  }
  return Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ")
}

/** The headers of a page, with changes to its policy. */
export function pageHeaders(policy: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policyOf(policy),
    // Pages of other sites that open this one get no handle of its window.
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  }
}

/** Makes the resource of a picture, in which nothing runs or loads anything. */
export function pictureResource({ type, bytes }: Picture): Resource {
  const policy = { "default-src": "'none'", "img-src": "'none'", "style-src": "'unsafe-inline'", sandbox: "" }
  return createResource({ headers: { ...pageHeaders(policy), "content-type": type }, read: () => bytes })
}

/** Makes the resources of pages with a policy. */
export function pageResources(policy: Readonly<Record<string, string>> = {}) {
  const headers = pageHeaders(policy)
  const text = (contentType: string, print: () => string): Resource =>
    createResource({ headers: { ...headers, "content-type": contentType }, read: print })
  return { html: (print: () => string) => text("text/html; charset=utf-8", print), text }
}
