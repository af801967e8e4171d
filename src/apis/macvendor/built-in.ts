import facts from "./list-facts.json"
import type { Vendors } from "./vendor-list.ts"
import path from "./vendors.zst" with { type: "file" }

let lines: Promise<Buffer> | null = null

/** The built-in list. The first call unpacks it, in a thread of the runtime. It takes 3.7 MB then. */
export const builtInVendors: Vendors = {
  date: facts.date,
  lines() {
    lines ??= unpack()
    return lines
  },
}

async function unpack(): Promise<Buffer> {
  const { resolve } = await import("node:path")
  // In the package for Bun the path is relative to this module; elsewhere it is absolute.
  return Bun.zstdDecompress(await Bun.file(resolve(import.meta.dir, path)).bytes())
}
