import { watch } from "node:fs"
import type { Timer } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"

/** How long no file may change before a change counts: an editor writes a file in several steps. */
const quietMs = 200

/**
 * Calls `onChange` once after files of a folder have changed. Returns the function that ends the watch.
 * @param report tells the operator that the watch ended by itself
 */
export function watchFolder(
  folder: string,
  { timer, report }: { readonly timer: Timer; report(message: string): void },
  onChange: () => void,
): () => void {
  let cancel = () => {}
  const watcher = watch(folder, { recursive: true, persistent: false }, () => {
    cancel()
    cancel = timer.after(quietMs, onChange)
  })
  watcher.on("error", (cause) => report(`the folder ${folder} is no longer watched: ${messageOf(cause)}`))
  return () => {
    cancel()
    watcher.close()
  }
}
