import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import fresh from "fresh"
import Negotiator from "negotiator"
import type { AnswerSettings } from "../incoming.ts"
import type { WebFile } from "./web-files.ts"

const unzip = promisify(gunzip)

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

/** Answers with a file whose name changes with its bytes, so that a browser keeps it for good (RFC 8246). */
export async function sendAsset(
  { name, codings, read }: WebFile,
  request: Request,
  set: AnswerSettings,
): Promise<Uint8Array | null> {
  const etag = `"${name}"`
  Object.assign(set.headers, {
    "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    // The compressed forms have the same tag.
    etag: `W/${etag}`,
  })
  const asked = request.headers.toJSON()
  if (fresh(asked, { etag: `W/${etag}` })) {
    set.status = 304
    return null
  }
  const coding = new Negotiator({ headers: asked }).encoding([...codings, "identity"])
  if (coding !== "br" && coding !== "gzip") return unzip(await read("gzip"))
  set.headers["content-encoding"] = coding
  return read(coding)
}
