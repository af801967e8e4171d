/** Read before all tests (bunfig.toml): generated inputs are the same in each run. `PENKNIFE_TEST_SEED` names another seed. */
import { setDefaultTimeout } from "bun:test"
import fc from "fast-check"

fc.configureGlobal({ seed: Number(process.env.PENKNIFE_TEST_SEED ?? 20250101) })

// Bun 1.4.5 takes no time limit from bunfig.toml, and this one for the first file alone: runs of many files give `--timeout` too.
setDefaultTimeout(300_000)

// Elysia asks for a collection of garbage, which is not forced, whenever it has compiled an app. In a process with the memory of
// hundreds of test files this took a tenth of its time.
const collect = Bun.gc
Bun.gc = (isForced) => (isForced ? collect(true) : 0)
