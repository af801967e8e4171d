import type { Clock } from "../apis/contract.ts"
import type { Tracer } from "../ports/tracer.ts"
import { httpLimits } from "../surfaces/http/limits.ts"
import type { ServiceServer } from "../surfaces/http/server.ts"
import { traceFlushMs } from "./traces.ts"

/** The parts with work in progress for which a stop waits. */
interface Stoppable {
  stop(): Promise<void>
}

interface StopParts {
  readonly clock: Clock
  readonly server: Pick<ServiceServer, "closeBusyConnections" | "stop">
  /** Ends the streams of live requests, which would keep their connections open. */
  closeWatchers(): void
  /** Parts that work in parallel to calls, and end with them. */
  readonly beside: readonly Stoppable[]
  /** Stopped after the calls, since it counts and logs them. */
  readonly observability: Stoppable
  readonly tracer: Tracer | null
  /** Everything opened for the service, closed last. */
  readonly resources: AsyncDisposableStack
}

/**
 * Stops a service: closes the connections, waits for calls in progress and their pending writes, and closes everything opened.
 * @param atOnce closes kept connections without an answer that says so
 */
export async function stopService(parts: StopParts, atOnce: boolean): Promise<void> {
  const { clock, server, closeWatchers, beside, observability, tracer, resources } = parts
  await using _closedLast = resources
  const askedMs = clock.monotonicMs()
  closeWatchers()
  const closed = atOnce ? Promise.resolve() : server.closeBusyConnections()
  const stopped = closed.then(() => server.stop(httpLimits.stopSeconds * 1_000))
  await Promise.all([stopped, ...beside.map((part) => part.stop())])
  const flushMs = traceFlushMs(clock.monotonicMs() - askedMs)
  await Promise.all([observability.stop(), tracer?.stop(flushMs)])
}
