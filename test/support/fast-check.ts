/** Read before all tests (bunfig.toml): generated inputs are the same in each run. `PENKNIFE_TEST_SEED` names another seed. */
import fc from "fast-check"

fc.configureGlobal({ seed: Number(process.env.PENKNIFE_TEST_SEED ?? 20250101) })
