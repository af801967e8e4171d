/** Bundles and compresses the front end into dist/web, for the executable and the npm package to embed. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type BundledFile, bundleWeb } from "../src/surfaces/http/web/bundle.ts"

const folder = "dist/web"

/**
 * Writes the files, and the module that takes the place of `src/surfaces/http/web/source-files.ts`. The working directory must be
 * the project's root.
 * @returns what they were made from, by its path from there
 */
export async function writeWebFiles(): Promise<readonly string[]> {
  const { files, inputs } = await bundleWeb()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of files) {
    // The best quality takes ten seconds for a megabyte.
    const quality = bytes.length > 1_000_000 ? 9 : constants.BROTLI_MAX_QUALITY
    const best = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, best))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
  writeFileSync(join(folder, "embedded.ts"), moduleOf(files))
  return inputs
}

function moduleOf(bundled: readonly BundledFile[]): string {
  const imports = bundled.flatMap(({ name }, index) => [
    `import brotli${index} from "./${name}.br" with { type: "file" }`,
    `import gzip${index} from "./${name}.gz" with { type: "file" }`,
  ])
  const files = bundled.map(
    ({ name, imports }, index) =>
      `["${name}", fileOf("${name}", ${JSON.stringify(imports)}, brotli${index}, gzip${index})],`,
  )
  return `import { resolve } from "node:path"
${imports.join("\n")}

function fileOf(name, imports, brotli, gzip) {
  return { name, imports, read: (coding) => Bun.file(resolve(import.meta.dir, coding === "br" ? brotli : gzip)).bytes() }
}

const files = new Map([
${files.join("\n")}
])

export const readWebFiles = async () => files
`
}
