/** Makes the usual store of a test double at the start, for the executable and the npm package to embed. */
import { writeFileSync } from "node:fs"
import { zstdCompressSync } from "node:zlib"
import { runningOf } from "../src/app/admin-parts.ts"
import { keyOfStart, makeStart } from "../src/app/mock-start.ts"
import { prepareApis } from "../src/app/prepare.ts"
import { loadConfig } from "../src/config/load.ts"
import { mockOwn } from "../src/config/options.ts"

const noLog = { debug() {}, info() {}, warn() {}, error() {} }

/** Writes the file that takes the place of `src/mock/no-start.json`. The working directory must be the project's root. */
export async function writeMockStart(): Promise<void> {
  const config = loadConfig({ flags: {}, env: {}, file: null }, mockOwn)
  const apis = await prepareApis(config)
  const running = runningOf(config, apis)
  const { guests, image, names, ...rest } = await makeStart(running, apis, noLog, null)
  if (guests !== null) throw new Error("calls without a key are refused unless a setting says otherwise")
  const packed = Buffer.from(zstdCompressSync(image)).toString("base64")
  writeFileSync(
    "dist/mock-start.json",
    JSON.stringify({ key: keyOfStart(running), image: packed, names: Object.fromEntries(names), ...rest }),
  )
}
