import type { Administration } from "../admin/administration.ts"
import { createBackup, newBackupName } from "../admin/backups/backup.ts"
import type { Backups } from "../admin/backups/backups.ts"
import type { Ports } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import type { Log } from "../ports/log.ts"
import { messageOf } from "../values/message-of.ts"

interface ScheduleParts extends Pick<Ports, "clock" | "timer" | "random"> {
  readonly administration: Administration
  readonly backups: Backups
  /** Takes the backup of a time for this process; false if another one has taken it. */
  readonly takeBackup: (slotMs: number) => Promise<boolean>
  readonly config: Pick<Config, "backupEverySeconds" | "backupKeep">
  readonly host: string
  readonly log: Pick<Log, "info" | "error">
}

/** The first look after a start: one that fails at once must not copy the data file each time. */
const startDelayMs = 60_000
/** How long after a failure it is tried again. */
const retryMs = 10 * 60_000
/** A timer cannot wait for longer than 24 days. */
const longestWaitMs = 86_400_000

/** The names of scheduled backups. No other file is ever deleted. */
const ownName = /^scheduled-\d{8}T\d{6}Z-[\da-f]{8}\.db$/

/**
 * Makes backups on a schedule and deletes older ones of its own. The times are multiples of the interval since 1970-01-01, UTC:
 * each 24 hours is midnight. With several processes, one of them makes each backup. This function starts none.
 */
export function createScheduledBackups(parts: ScheduleParts) {
  const { administration, backups, clock, timer, random, log } = parts
  const { backupEverySeconds, backupKeep: keep } = parts.config
  let isStopped = false
  let cancel = () => {}
  /** The time whose backup this process has taken and not made yet. */
  let pendingMs: number | null = null

  async function run(interval: number): Promise<number> {
    const nowMs = clock.now()
    const slotMs = nowMs - (nowMs % interval)
    try {
      if (pendingMs !== slotMs && !(await parts.takeBackup(slotMs))) return slotMs + interval - nowMs
      pendingMs = slotMs
      await make()
      pendingMs = null
      await deleteOld()
      return slotMs + interval - clock.now()
    } catch (cause) {
      log.error("scheduled backup failed; it is tried again in ten minutes", { cause: messageOf(cause) })
      return retryMs
    }
  }

  /** Runs the operator's operation, so that the backup is in the audit log. */
  async function make(): Promise<void> {
    const name = newBackupName("scheduled", clock, random)
    const actor = {
      ...{ id: "service", name: "schedule", permissions: ["backups.write"], account: null },
      ...{ source: parts.host, requestId: "" },
    }
    await administration.run(createBackup, { kind: "typed", values: { name } }, actor)
    log.info("scheduled backup made and verified", { name })
  }

  /** The new backup is verified by then. */
  async function deleteOld(): Promise<void> {
    const own = (await backups.list()).filter(({ name }) => ownName.test(name))
    for (const { name } of own.slice(keep)) {
      await backups.remove(name)
      log.info("scheduled backup deleted, since newer ones are kept", { name, keep })
    }
  }

  function schedule(interval: number, delayMs: number): void {
    const waitMs = Math.min(Math.max(delayMs, 1_000), longestWaitMs)
    cancel = timer.after(waitMs, () => {
      void run(interval).then((nextMs) => {
        if (!isStopped) schedule(interval, nextMs)
      })
    })
  }

  return {
    start() {
      if (backupEverySeconds !== null) schedule(backupEverySeconds * 1_000, startDelayMs)
    },
    /** A backup under way may take minutes, so nothing waits for it: an unfinished file is never listed. */
    stop() {
      isStopped = true
      cancel()
    },
  }
}
