import { watch } from "node:fs"
import type { Timer } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import { messageOf } from "../values/message-of.ts"

/** How long no file may change before a change counts: an editor writes a file in several steps. */
export const quietMs = 200

/** Calls `onChange` once after files of a folder have changed. Returns the function that ends the watch. */
export function watchFolder(
  folder: string,
  { timer, log }: { readonly timer: Timer; readonly log: Pick<Log, "error"> },
  onChange: () => void,
): () => void {
  let cancel = () => {}
  const watcher = watch(folder, { recursive: true, persistent: false }, () => {
    cancel()
    cancel = timer.after(quietMs, onChange)
  })
  watcher.on("error", (cause) =>
    log.error("the folder of APIs is no longer watched", { folder, cause: messageOf(cause) }),
  )
  return () => {
    cancel()
    watcher.close()
  }
}
