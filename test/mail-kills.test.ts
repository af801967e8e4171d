/**
 * Processes that are killed between any two steps of sending a mail: none is lost, and a repetition has the same Message-ID. The
 * check of a commit tries one kind of store.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { useStoreKindsInTurn } from "./support/any-store.ts"
import { startMailServer } from "./support/mail-server.ts"

const steps = ["written", "MAIL", "RCPT", "DATA", "accepted", "recorded"] as const
/** `MAIL_KILLS=60` kills 300 processes on each store, at each of five steps 60. */
const rounds = Number(process.env.MAIL_KILLS ?? 1)
/** Longer than a lease, and than the first wait. */
const leaseMs = 61_000

test.each(useStoreKindsInTurn(0))(
  "on $name, no mail is lost, and only one that was accepted before its process died comes again",
  async ({ create }) => {
    const db = await create()
    let killAt = ""
    let child: { kill(signal: number): void } | null = null
    const reach = (step: string) => {
      if (step === killAt) child?.kill(9)
    }
    const messages: string[] = []
    const server = await startMailServer({
      disabledCommands: ["STARTTLS", "AUTH"],
      onMailFrom(_, __, done) {
        reach("MAIL")
        done()
      },
      onRcptTo(_, __, done) {
        reach("RCPT")
        done()
      },
      onData(stream, _, done) {
        reach("DATA")
        const chunks: Buffer[] = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          messages.push(/^Message-ID: <(.*)@/m.exec(Buffer.concat(chunks).toString())?.[1] ?? "")
          // Accepted by the server; the process dies before it reads so.
          reach("accepted")
          done()
        })
      },
    })
    let aheadMs = 0
    async function run(id: string) {
      aheadMs += leaseMs
      const file = join(import.meta.dir, "support/send-mails.ts")
      const command = [process.execPath, file, db, String(server.address.port), String(aheadMs), id]
      const started = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
      child = started
      for await (const text of started.stdout) if (Buffer.from(text).includes("written")) reach("written")
      await started.exited
      return started.signalCode
    }
    const seen: Record<string, number[]> = {}
    for (let round = 0; round < rounds; round++)
      for (const step of steps) {
        const id = `mail_${round}${step}`
        killAt = step
        expect([step, await run(id)]).toEqual([step, step === "recorded" ? null : "SIGKILL"])
        killAt = ""
        await run("")
        const times = messages.filter((message) => message === id).length
        seen[step] = [...(seen[step] ?? []), times]
      }
    await server.close()
    if (rounds > 1) console.log(JSON.stringify(countAll(seen)))
    for (const step of steps) {
      // A process may go on for a moment after the step at which it is killed.
      expect([step, seen[step]?.every((times) => times === 1 || times === 2)]).toEqual([step, true])
    }
    expect(new Set(seen.recorded)).toEqual(new Set([1]))
    expect(new Set(seen.accepted)).toEqual(new Set([2]))
  },
  3_600_000,
)

/** How many mails came once, twice, … for each step. */
function countAll(seen: Readonly<Record<string, readonly number[]>>) {
  const counts = Object.entries(seen).map(([step, times]) => [
    step,
    Object.fromEntries([...new Set(times)].map((one) => [one, times.filter((each) => each === one).length])),
  ])
  return Object.fromEntries(counts)
}
