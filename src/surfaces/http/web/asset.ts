import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { once } from "../../../values/once.ts"
import type { AnswerSettings } from "../request.ts"
import { chooseForm, SharedBytes } from "../resource.ts"
import { type Coding, codings, type WebFile } from "./web-files.ts"

const unzip = promisify(gunzip)

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
}

/** For an SVG that is opened by itself: nothing in it runs or loads anything. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The forms of files that were asked for. They are few and stay for good. */
const known = new WeakMap<WebFile, Readonly<Record<Coding | "identity", () => Promise<SharedBytes>>>>()

function formsOf(file: WebFile) {
  const packed = (coding: Coding) => once(async () => new SharedBytes([await file.read(coding)]))
  const forms = known.get(file) ?? {
    br: packed("br"),
    gzip: packed("gzip"),
    identity: once(async () => new SharedBytes([await unzip(await file.read("gzip"))])),
  }
  known.set(file, forms)
  return forms
}

/** Answers with a file whose name changes with its bytes, so that a browser keeps it for good (RFC 8246). */
export async function sendAsset(file: WebFile, request: Request, set: AnswerSettings) {
  const { name } = file
  Object.assign(set.headers, {
    "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
  })
  if (name.endsWith(".svg")) set.headers["content-security-policy"] = picturePolicy
  const coding = chooseForm(request, set, name, codings)
  return coding && formsOf(file)[coding]()
}
