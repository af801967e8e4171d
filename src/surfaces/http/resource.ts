import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Exchange } from "./respond.ts"

const compress = promisify(gzip)

/** Bytes that stay the same for as long as the process runs, made when they are first asked for. */
export interface ResourceSource {
  readonly headers: Readonly<Record<string, string>>
  read(): Promise<Uint8Array>
}

interface Loaded {
  readonly plain: Uint8Array
  readonly zipped: Uint8Array
  readonly etag: string
}

/** The handler of a resource: loaded and compressed once, with an ETag (RFC 9110 §8.8.3) that spares its being sent again. */
export function createResource({
  headers,
  read,
}: ResourceSource): (exchange: ExchangeOfAny) => Promise<Response> {
  let loading: Promise<Loaded> | undefined

  async function load(): Promise<Loaded> {
    const plain = await read()
    const hash = new Bun.CryptoHasher("sha256").update(plain).digest("base64url").slice(0, 22)
    // Weak, since the compressed form has the same mark.
    return { plain, zipped: await compress(plain), etag: `W/"${hash}"` }
  }

  return async ({ request, requestId }) => {
    loading ??= load()
    const { plain, zipped, etag } = await loading
    const common = {
      ...headers,
      etag,
      // Kept, but asked about before each use: another version of the program has other bytes at the same path.
      "cache-control": "no-cache",
      vary: "Accept-Encoding",
      "x-request-id": requestId,
    }
    if (isNamed(etag, request.headers.get("if-none-match"))) {
      return new Response(null, { status: 304, headers: common })
    }
    if (!takesGzip(request.headers.get("accept-encoding"))) return new Response(plain, { headers: common })
    return new Response(zipped, { headers: { ...common, "content-encoding": "gzip" } })
  }
}

type ExchangeOfAny = Omit<Exchange, "address">

/** Weak comparison (RFC 9110 §13.1.2). */
function isNamed(etag: string, ifNoneMatch: string | null): boolean {
  const marks = (ifNoneMatch ?? "").split(",").map((mark) => mark.trim())
  return marks.includes("*") || marks.some((mark) => mark.replace(/^W\//, "") === etag.replace(/^W\//, ""))
}

function takesGzip(acceptEncoding: string | null): boolean {
  return (acceptEncoding ?? "")
    .split(",")
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))
}
