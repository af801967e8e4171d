/** Preloaded by the test of planted bugs: plants the bug that `PENKNIFE_PLANT` names into its file while that is loaded. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { plugin } from "bun"
import { plantedBugs } from "./bugs.ts"

const bug = plantedBugs.find(({ name }) => name === process.env.PENKNIFE_PLANT)
if (!bug) throw new Error(`there is no bug '${process.env.PENKNIFE_PLANT}'`)
const path = join(import.meta.dir, "../../../src", bug.file)
let text = readFileSync(path, "utf8")
for (const [before, after] of Object.entries(bug.changes)) {
  if (text.split(before).length !== 2) throw new Error(`${bug.file} must have once: ${before}`)
  text = text.replace(before, () => after)
}

plugin({
  name: "planted bug",
  setup(build) {
    const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    build.onLoad({ filter: new RegExp(`^${escaped}$`) }, () => ({ contents: text, loader: "ts" }))
  },
})
