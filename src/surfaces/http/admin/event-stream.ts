import type { Subscription } from "../../../admin/parts.ts"
import type { HttpContext } from "../frame.ts"
import { httpLimits } from "../read/limits.ts"

/** Why the service ends a stream, for its last event. */
type EndReason = "closing" | "not-allowed"

/**
 * Server-sent events for one watcher. The next ones are written when the client has taken those before, so a slow client takes no
 * memory: it loses events, and an event `lost` says how many. Each 15 s a comment keeps the connection open.
 * @param begin begins to watch
 * @param isStillAllowed is asked at each comment; must not reject
 */
export function streamEvents(
  begin: (onReady: () => void) => Subscription,
  isStillAllowed: () => Promise<boolean>,
  { calls, pipeline }: Pick<HttpContext, "calls" | "pipeline">,
): ReadableStream {
  const { timer } = pipeline.ports
  const encoder = new TextEncoder()
  /** Written before the events: the time after which a browser opens a broken stream again. */
  let comment = "retry: 2000\n: watching\n\n"
  let reason: EndReason = "closing"
  let isEnded = false
  let isCancelled = false
  let wake = () => {}
  /** Whether events came since the last take, also while that one waits for its events. */
  let isReady = false
  const subscription = begin(() => {
    isReady = true
    wake()
  })
  let cancelBeat = timer.after(httpLimits.heartbeatSeconds * 1_000, beat)
  calls.begin()
  // It waits for events, and does no work.
  calls.awaited++

  function end(): void {
    if (isEnded) return
    isEnded = true
    cancelBeat()
    subscription.end()
    calls.awaited--
    calls.end()
  }

  async function beat(): Promise<void> {
    const isAllowed = await isStillAllowed()
    if (isEnded) return
    if (isAllowed) {
      comment = ": still here\n\n"
      cancelBeat = timer.after(httpLimits.heartbeatSeconds * 1_000, beat)
    } else {
      reason = "not-allowed"
      end()
    }
    wake()
  }

  async function takeText(): Promise<string> {
    isReady = false
    const taken = subscription.take()
    const { events, lost } = taken instanceof Promise ? await taken : taken
    const text = [
      comment,
      ...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
      ...(lost > 0 ? [`event: lost\ndata: ${JSON.stringify({ count: lost })}\n\n`] : []),
    ].join("")
    comment = ""
    return text
  }

  return new ReadableStream(
    {
      async pull(controller) {
        let text = await takeText()
        while (text === "" && !subscription.isOver) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve
          })
          if (!isReady && comment === "") await woken
          text = await takeText()
        }
        if (isCancelled) return
        if (subscription.isOver) {
          // Also the events that came with the end.
          text += await takeText()
          end()
          controller.enqueue(encoder.encode(`${text}event: end\ndata: ${JSON.stringify({ reason })}\n\n`))
          controller.close()
        } else controller.enqueue(encoder.encode(text))
      },
      cancel() {
        isCancelled = true
        end()
        wake()
      },
    },
    { highWaterMark: 0 },
  )
}
