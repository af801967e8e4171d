import type { SQL } from "bun"
import type { Clock, Timer } from "../../apis/contract.ts"
import { migratedChannel } from "./migrations.ts"

interface ListenerOptions {
  readonly timer: Timer
  readonly clock: Pick<Clock, "monotonicMs">
  /**
   * Opens a client to the first host on which `listen` succeeds: a standby refuses it. `onClose` is called when its connection
   * is closed or lost.
   */
  readonly connect: (onClose: () => void, listen: (client: SQL) => Promise<void>) => Promise<SQL>
  /** Sends a notification on another connection: the client would open a second one for it. */
  readonly notify: (channel: string, text: string) => Promise<void>
  /** An id of this process. */
  readonly instance: string
  /** An account or one of its keys was changed. */
  readonly onChanged: (accountId: string) => void
  /** All changes that were committed before a time, by the monotonic clock, were told to `onChanged`. */
  readonly onConfirmed: (ms: number) => void
  /** A notice was raised, by this instance or another. */
  readonly onRaised: (noticeId: string, byThisInstance: boolean) => Promise<void>
  /** Another instance changed the tables to a version; older ones than `oldest` cannot work with them. */
  readonly onMigrated: (version: number, oldest: number) => void
  /** Another process, or this one, has sent a message to all. */
  readonly onMessage: (text: string) => void
  /** Called when messages begin to arrive, to read what may have changed before. If it fails, the connection is made again. */
  readonly onConnected: () => Promise<void>
  /** Notifications may have been lost. */
  readonly onGap: () => void
  /** Called when the connection could not be made, or was lost. It is tried again every second. */
  readonly onProblem: (cause: unknown) => void
}

/**
 * Longer than a second, since each notification wakes up the sessions of all instances, and shorter than the age of what is kept
 * in memory, which each one confirms.
 */
const beatMs = 4_000
const retryMs = 1_000
const lostMessage =
  "A notification did not come back. A pooler in front of the database must not share its sessions: see docs/scaling.md."
/** The channel of messages to all processes. */
export const messageChannel = "penknife_instances"

/**
 * Receives the messages of other instances on a connection that does nothing else. Every four seconds it sends itself a message
 * through the database: when one does not come back, the connection is replaced. PostgreSQL delivers notifications in the order
 * of their commits (NOTIFY, Description), so one that came back shows that all earlier ones did.
 */
export function startListener(options: ListenerOptions) {
  const { timer, clock, connect, notify, instance, onChanged, onRaised, onGap, onProblem } = options
  const own = `penknife_beat_${instance}`
  let client: SQL | null = null
  let isStopped = false
  let missed = 0
  /** The start of the latest beat. */
  let sentMs = 0
  /** Whether a beat is under way, which asks for the next one when it ends. */
  let isBeating = false
  let cancelBeat = () => {}

  async function open(): Promise<void> {
    let isReady = false
    const opened = await connect(() => {
      // At once, since the client would try again by itself, on the same host, and print each failure.
      if (!isReady || client !== opened) return
      void drop().catch(onProblem)
      if (!isBeating) beatAgain()
    }, listen)
    isReady = true
    client = opened
    if (isStopped) await drop()
    else await options.onConnected()
  }

  async function listen(opened: SQL): Promise<void> {
    await opened.listen("penknife_changed", onChanged, onGap)
    await opened.listen("penknife_raised", (payload) => {
      const [id = "", by] = payload.split(" ")
      onRaised(id, by === instance).catch(onProblem)
    })
    await opened.listen(migratedChannel, (payload) => {
      // Any role of the database may send on the channel.
      const [, version, oldest] = /^(\d{1,9}) (\d{1,9})$/.exec(payload) ?? []
      if (version && oldest) options.onMigrated(Number(version), Number(oldest))
    })
    await opened.listen(messageChannel, options.onMessage)
    await opened.listen(own, () => {
      if (opened !== client) return
      missed = 0
      options.onConfirmed(sentMs)
    })
  }

  async function drop(): Promise<void> {
    const dropped = client
    client = null
    missed = 0
    onGap()
    await dropped?.close({ timeout: 0 })
  }

  /** Never rejects. */
  async function beat(): Promise<void> {
    isBeating = true
    try {
      // After a pause of the process its timers come before what has arrived.
      await timer.turn()
      if (missed > 0) throw new Error(lostMessage)
      if (client === null) await open()
      // It may have been closed again meanwhile.
      if (client !== null) {
        missed++
        sentMs = clock.monotonicMs()
        await notify(own, "")
      }
    } catch (cause) {
      if (!isStopped) onProblem(cause)
      await drop().catch(onProblem)
    }
    isBeating = false
    beatAgain()
  }

  function beatAgain(): void {
    cancelBeat()
    if (!isStopped) cancelBeat = timer.after(client === null ? retryMs : beatMs, () => void beat())
  }

  void beat()
  return {
    async stop(): Promise<void> {
      isStopped = true
      cancelBeat()
      await drop()
    },
  }
}
