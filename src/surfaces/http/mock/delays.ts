import type { Timer } from "../../../apis/contract.ts"
import type { FaultEffects } from "../../../mock/faults.ts"
import type { RequestEffects } from "../../../mock/request-effects.ts"
import { joinEdits } from "../../../mock/rule.ts"

/** An answer that hangs is broken off after this time. */
const hangMs = 600_000

/** Waits in real time, also while the mock's clock does not move. */
export function createDelays(timer: Timer) {
  const waiting = new Set<() => void>()
  let isEnded = false

  /** Begins a wait. `finish` ends it early. */
  function begin(delayMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const finish = () => {
      cancel()
      waiting.delete(finish)
      resolve()
    }
    const cancel = timer.after(isEnded ? 0 : delayMs, finish)
    waiting.add(finish)
    return { done: promise, finish }
  }

  return {
    wait: (delayMs: number): Promise<void> => begin(delayMs).done,
    /** The body of an answer as a fault lets it be sent: slowly, or its first byte and then nothing. */
    toBody(text: string, { bytes_per_second: rate = 1, hang = false }: FaultEffects): ReadableStream {
      const bytes = Buffer.from(text)
      // Up to twenty pieces a second.
      const pieceBytes = hang ? 1 : Math.max(1, Math.round(rate / 20))
      let sent = 0
      let wait: ReturnType<typeof begin> | null = null
      return new ReadableStream({
        async pull(controller) {
          const hangs = hang && sent > 0
          wait = begin(hangs ? hangMs : hang ? 0 : (pieceBytes / rate) * 1_000)
          await wait.done
          if (hangs) return controller.error()
          controller.enqueue(bytes.subarray(sent, sent + pieceBytes))
          sent += pieceBytes
          if (sent >= bytes.length && !hang) controller.close()
        },
        cancel: () => wait?.finish(),
      })
    },
    /** Ends every wait now, and lets later ones end at once. */
    end(): void {
      isEnded = true
      for (const finish of waiting) finish()
    },
  }
}

/** An answer whose body has been read. */
export type ReadAnswer = Awaited<ReturnType<typeof editAnswer>>

/** Reads an answer and replaces what stubs and faults say: a stub in a success only, a fault always and last. */
export async function editAnswer(response: Response, effects: RequestEffects) {
  const { status, headers } = response
  // Read before the stubs, since an answer may be made while it is read.
  const text = await response.text()
  const { fault, stubs } = effects
  const edit = joinEdits([...(response.ok ? stubs : []), ...(fault ? [fault.effects] : [])])
  const { body: edited = text } = edit ?? {}
  if (typeof edited !== "string") headers.set("content-type", "application/json")
  const body = typeof edited === "string" ? edited : JSON.stringify(edited)
  for (const [name, value] of Object.entries(edit?.headers ?? {})) headers.set(name, value)
  return { status, headers, body: fault?.effects.malformed ? toBrokenBody(body) : body }
}

/**
 * Cuts a body in half and ends it so that no parser accepts it. A cut alone may leave valid CSV or YAML. The added line opens a
 * quote at the margin and goes on after it, which neither allows (RFC 4180 §2, YAML 1.2.2 §7.3.1), also inside a quoted text.
 */
export function toBrokenBody(body: string): string {
  return `${body.slice(0, body.length / 2)}\n"a"b`
}
