/** Bundles and compresses the front end into dist/web, for the executable and the npm package to embed. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type BundledFile, bundleWeb } from "../src/surfaces/http/web/source-files.ts"
import { codings } from "../src/surfaces/http/web/web-files.ts"

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
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  for (const file of files) {
    for (const coding of codings) {
      const packed =
        coding === "br" ? brotliCompressSync(file.bytes, best) : gzipSync(file.bytes, { level: 9 })
      writeFileSync(join(folder, `${file.name}.${coding}`), packed)
    }
  }
  writeFileSync(join(folder, "embedded.ts"), moduleOf(files))
  return inputs
}

function moduleOf(bundled: readonly BundledFile[]): string {
  const imports: string[] = []
  const files = bundled.map((file, index) => {
    const { name, imports: parts } = file
    for (const coding of codings) {
      imports.push(`import ${coding}${index} from "./${name}.${coding}" with { type: "file" }`)
    }
    const paths = codings.map((coding) => `${coding}: ${coding}${index}`).join(", ")
    return `["${name}", fileOf("${name}", ${JSON.stringify(parts)}, { ${paths} })],`
  })
  return `import { resolve } from "node:path"
${imports.join("\n")}

function fileOf(name, imports, paths) {
  const read = (coding) => Bun.file(resolve(import.meta.dir, paths[coding])).bytes()
  return { name, imports, read }
}

const files = new Map([
${files.join("\n")}
])

export const readWebFiles = async () => files
`
}
