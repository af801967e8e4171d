import type { Trial } from "./trial.ts"
import { adminKills, adminKillsFile } from "./trials/admin-kills.ts"
import { chargeKillsFile } from "./trials/charge-kills-file.ts"
import { databaseKills } from "./trials/database-kills.ts"
import { failingWrites } from "./trials/failing-writes.ts"
import { failovers } from "./trials/failovers.ts"
import { instanceKills } from "./trials/instance-kills.ts"
import { limits } from "./trials/limits.ts"
import { databasePauses, instancePauses, proxyPauses, standbyPauses } from "./trials/pauses.ts"
import { powercuts } from "./trials/powercuts.ts"
import { races } from "./trials/races.ts"
import { reloads } from "./trials/reloads.ts"
import { repeatKills, repeatKillsFile } from "./trials/repeat-kills.ts"
import { revocations } from "./trials/revocations.ts"
import { restartsBehindCaddy, restartsBehindNginx } from "./trials/rolling-restarts.ts"
import { signUpKills, signUpKillsFile } from "./trials/sign-up-kills.ts"
import { statements } from "./trials/statements.ts"
import { stops } from "./trials/stops.ts"
import { updates } from "./trials/updates.ts"

/** The trials of `bun run exactness`. A new one is a file in `trials/` and a line here. */
export const trials: readonly Trial[] = [
  races,
  limits,
  revocations,
  instanceKills,
  databaseKills,
  instancePauses,
  databasePauses,
  proxyPauses,
  standbyPauses,
  failovers,
  chargeKillsFile,
  powercuts,
  failingWrites,
  adminKillsFile,
  adminKills,
  signUpKillsFile,
  signUpKills,
  repeatKillsFile,
  repeatKills,
  statements,
  reloads,
  restartsBehindCaddy,
  restartsBehindNginx,
  stops,
  updates,
]
