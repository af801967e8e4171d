import type { Trial } from "./trial.ts"
import { adminKills } from "./trials/admin-kills.ts"
import { failingWrites } from "./trials/failing-writes.ts"
import { faults } from "./trials/faults.ts"
import { limits } from "./trials/limits.ts"
import { powercuts } from "./trials/powercuts.ts"
import { races } from "./trials/races.ts"
import { repeatKills } from "./trials/repeat-kills.ts"
import { revocations } from "./trials/revocations.ts"
import { restartsBehindCaddy, restartsBehindNginx } from "./trials/rolling-restarts.ts"
import { stops } from "./trials/stops.ts"
import { tests } from "./trials/tests.ts"
import { updates } from "./trials/updates.ts"

/** The trials of `bun run exactness`. A new one is a file in `trials/` and a line here. */
export const trials: readonly Trial[] = [
  ...[races, limits, revocations, ...faults, powercuts, failingWrites, adminKills, repeatKills],
  ...[...tests, restartsBehindCaddy, restartsBehindNginx, stops, updates],
]
