import type { ApiDefinition, Timer } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"

/** Loads the libraries that take long, one in a turn of the event loop, so that first callers need not wait. Never rejects. */
export async function warmLibraries(
  apis: readonly Pick<ApiDefinition, "id" | "warm">[],
  { turn }: Pick<Timer, "turn">,
  log: Pick<Log, "error">,
): Promise<void> {
  for (const { id, warm } of apis) {
    if (!warm) continue
    await turn()
    try {
      await warm()
    } catch (cause) {
      // The first call tries again, and tells its caller.
      log.error("library not loaded", { api: id, cause: String(cause) })
    }
  }
}
