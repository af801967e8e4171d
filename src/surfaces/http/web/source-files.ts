/**
 * The files of the front end when the program runs from its source: bundled with the first request. The build puts the file that
 * `scripts/web-files.ts` writes in the place of this one (`#web-files` in package.json).
 */

import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { formParametersOf } from "../../../admin/form-parameters.ts"
import { operations } from "../../../admin/operations.ts"
import { once } from "../../../values/once.ts"
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

const web = join(import.meta.dir, "../../../web")

/** The files that pages load by name; the bundler finds the rest. */
const entries = [
  "console/console.tsx",
  "portal/portal.tsx",
  "mock/mock.tsx",
  "styles/penknife.css",
  "site/site.ts",
  "styles/site.css",
]

/**
 * How the front end calls each operation, and draws its form: first of those that customers can run, then of those that only
 * operators can. `src/web/client/operations.ts` reads it.
 */
const [customerOperations, operatorOperations] = [true, false].map((isCustomers) =>
  JSON.stringify(
    Object.fromEntries(
      operations
        .filter(({ portal }) => (portal !== undefined) === isCustomers)
        .map((operation) => {
          const { id, method, path } = operation
          return [id, method === "GET" ? [method, path] : [method, path, formParametersOf(operation)]]
        }),
    ),
  ),
)

/** A file for browsers, not yet compressed. */
export interface BundledFile extends Pick<WebFile, "name" | "imports"> {
  readonly bytes: Uint8Array
}

/**
 * Bundles the front end for browsers.
 * @returns its files, and as `inputs` the files that it was made from, by their paths from the project's root
 * @throws AggregateError with the mistakes in it
 */
export async function bundleWeb() {
  const built = await Bun.build({
    entrypoints: entries.map((entry) => join(web, entry)),
    target: "browser",
    format: "esm",
    minify: true,
    jsx: { development: false },
    splitting: true,
    metafile: true,
    define: { CUSTOMER_OPERATIONS: `${customerOperations}`, OPERATOR_OPERATIONS: `${operatorOperations}` },
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  })
  const bundled = built.outputs.map(async (output) => ({
    name: nameOf(output.path),
    bytes: new Uint8Array(await output.arrayBuffer()),
    imports: (built.metafile?.outputs[output.path]?.imports ?? [])
      .filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => nameOf(path)),
  }))
  return { files: await Promise.all(bundled), inputs: Object.keys(built.metafile?.inputs ?? {}) }
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, "")
}
