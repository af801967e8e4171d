/** The control paths of this test double or session. */
import { signal } from "@preact/signals"
import type { View } from "../../mock/views.ts"
import { openEvents, sendRequest } from "../client/browser.ts"
import { Problem, Unreachable } from "../client/request.ts"
import { say } from "../kit/status.tsx"

/** The start of the control paths, in a session below its path. */
export const base = location.pathname
/** The start of the addresses of calls, in a session with its path. */
export const service = location.origin + base.replace(/\/_mock$/, "")
/** The present state; null until it comes. */
export const view = signal<View | null>(null)
/** Whether changes are shown as they come, in words. */
export const connection = signal("Connecting")

/** Shows each change from now on. */
export function showChanges(): void {
  const events = openEvents(`${base}/events`)
  events.onmessage = ({ data }) => {
    connection.value = "Live"
    view.value = JSON.parse(data)
  }
  events.onerror = () => {
    connection.value = "Not live: it has ended, or too many such pages are open"
  }
}

/** Sends a body to a control path. Throws a Problem or Unreachable. */
export async function send(method: string, path: string, body: string | null): Promise<void> {
  const response = await sendRequest(base + path, { method, body }).catch(() => null)
  if (response === null) throw new Unreachable()
  if (!response.ok) throw new Problem(response.status, { detail: (await response.json()).error })
  say("Done.")
}

/** Changes something for someone who presses a button. A refusal is said. */
export function change(method: string, path: string, body: object | null = null): void {
  send(method, path, body && JSON.stringify(body)).catch(({ message }) =>
    say(`That did not work. ${message}`),
  )
}
