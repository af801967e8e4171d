/** Events that hit the service while clients use it. */
import { accountsCreatedMs, connect } from "./data-file.ts"
import { killInstance, startInstance } from "./instance.ts"
import { monthStart } from "./model.ts"
import type { PlanEvent } from "./plan.ts"
import type { World } from "./world.ts"

const dayMs = 86_400_000
const skewsMs = [-3_600_000, -2_500, -300, 0, 300, 2_500]
/** Around the end of a month: its last millisecond, its end, and later. */
const aroundMs = [-1, 0, 0, 1, 5_000]

/** Lets an event happen, unless the run has come to rest. */
export function happen({ kind, instance: index, value }: PlanEvent, world: World): void {
  const { kernel, instances } = world
  const instance = instances[index]
  if (kernel.faults === 0 || !instance) return
  world.count(`event ${kind}`)
  if (kind === "kill" && !instance.isDead) {
    killInstance(world, instance)
    kernel.later(null, "restart", 1 + (value % 400), () => {
      startInstance(world, index, instance.skewMs)
    })
  }
  if (kind === "month") kernel.jump(nextMonth(kernel.now()) - kernel.now() + (aroundMs[value % 5] ?? 0))
  if (kind === "day") kernel.jump(dayMs * (1 + (value % 12)))
  if (kind === "skew") instance.skewMs = skewsMs[value % skewsMs.length] ?? 0
  if (kind === "lock") holdLock(world, 1 + (value % 300))
  if (kind === "price" && !instance.isDead) instance.setPrices(value % 3)
  if (kind === "clean" && !instance.isDead) void instance.cleaner.run()
}

/** The next start of the credit month of the accounts that are there from the start. */
function nextMonth(nowMs: number): number {
  const present = monthStart(accountsCreatedMs, nowMs)
  let laterMs = nowMs
  while (monthStart(accountsCreatedMs, laterMs) === present) laterMs += 3_600_000
  return monthStart(accountsCreatedMs, laterMs)
}

/** Another program locks the data file for a while. */
function holdLock(world: World, ms: number): void {
  if (world.isLocked) return
  const other = connect(world.file)
  other.run("BEGIN IMMEDIATE")
  world.isLocked = true
  world.kernel.later(null, "lock ends", ms, () => {
    world.isLocked = false
    other.run("ROLLBACK")
    other.close()
  })
}
