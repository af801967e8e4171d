import { expect, test } from "bun:test"
import { createManualClock } from "../../../../test/support/clock.ts"
import { noWaitTimer } from "../../../../test/support/timer.ts"
import { createSignInFailures } from "./sign-in-failures.ts"

/** How many failures of these addresses are answered before one is refused. */
async function answered(addressOf: (count: number) => string): Promise<number> {
  const failures = createSignInFailures({ clock: createManualClock(), timer: noWaitTimer })
  for (let count = 0; count < 150; count++) {
    try {
      await failures.add(addressOf(count))
    } catch {
      return count
    }
  }
  return 150
}

test("addresses of one /64 count as one client, others as their own", async () => {
  expect(await answered(() => "192.0.2.1")).toBe(100)
  expect(await answered((count) => `2001:db8::${count.toString(16)}`)).toBe(100)
  expect(await answered((count) => `192.0.2.${count}`)).toBe(150)
  expect(await answered((count) => `2001:db8:0:${count.toString(16)}::1`)).toBe(150)
})

test("no more than 200 answers wait at once, since each holds a connection", async () => {
  const timer = { ...noWaitTimer, after: () => () => {} }
  const failures = createSignInFailures({ clock: createManualClock(), timer })
  const late = (address: string) => {
    let last: Promise<void> = Promise.resolve()
    for (let count = 0; count < 11; count++) last = failures.add(address)
    return last
  }
  for (let client = 0; client < 200; client++) void late(`192.0.2.${client}`)
  await expect(late("198.51.100.1")).rejects.toMatchObject({ code: "too-many-requests" })
})
