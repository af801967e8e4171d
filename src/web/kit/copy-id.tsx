import type { ComponentChildren } from "preact"
import { Icon } from "./icon.tsx"
import { say } from "./status.tsx"

interface CopyIdProps {
  readonly id: string
  /** The text or link in place of the id; the id by default. */
  readonly children?: ComponentChildren
}

/** An id with a button that copies it. */
export function CopyId({ id, children = <code>{id}</code> }: CopyIdProps) {
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(id)
      say(`Copied ${id}.`)
    } catch {
      // Without HTTPS the browser forbids it, or has no clipboard.
      say("The browser does not let this page copy. Select the id instead.")
    }
  }
  return (
    <span class="copy-id inline gap-1">
      {children}
      <button class="button quiet copy" type="button" aria-label={`Copy ${id}`} onClick={copy}>
        <Icon name="copy" />
      </button>
    </span>
  )
}
