/**
 * The files of the front end when the program runs from its source: bundled with the first request. The build puts the file that
 * `scripts/web-files.ts` writes in the place of this one (`#web-files` in package.json).
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { once } from "../../../values/once.ts"
import { type BundledFile, bundleWeb } from "./bundle.ts"
import type { WebFile, WebFiles } from "./web-files.ts"

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
/** The best quality takes a second, which nobody wants to wait for while working on the front end. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** @throws AggregateError with the mistakes in the front end */
export const readWebFiles = once(async (): Promise<WebFiles> => {
  const { files } = await bundleWeb()
  return new Map(files.map((file) => [file.name, toWebFile(file)]))
})

function toWebFile({ name, imports, bytes }: BundledFile): WebFile {
  return {
    name,
    imports,
    read: (coding) => (coding === "br" ? compress.br(bytes, quick) : compress.gzip(bytes)),
  }
}
