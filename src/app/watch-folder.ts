import { watch } from "node:fs"
import type { Timer } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import { messageOf } from "../values/message-of.ts"

/** An editor writes a file in several steps. */
const quietMs = 200

/** Calls `onChange` when files of a folder have changed and then stayed the same for a moment. Gives what ends the watch. */
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
    log.error("the folder of APIs is not watched any more", { folder, cause: messageOf(cause) }),
  )
  return () => {
    cancel()
    watcher.close()
  }
}
