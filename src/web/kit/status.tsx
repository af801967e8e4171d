import { signal } from "@preact/signals"
import { after } from "../client/browser.ts"

const message = signal("")
const shownMs = 6_000
let cancel = () => {}

/** Says for a few seconds that something was done: "Account created." */
export function say(text: string): void {
  cancel()
  message.value = text
  cancel = after(shownMs, () => {
    message.value = ""
  })
}

/** How something ends that was done. */
export interface DoneProps<T> {
  /** Said when it is done, or called with the answer. */
  readonly done: string | ((answer: T) => void)
  /** Called with the answer after the text was said. */
  readonly then?: ((answer: T) => void) | undefined
}

/** Says that something was done, or calls the functions for it. */
export function tellDone<T>({ done, then }: DoneProps<T>, answer: T): void {
  if (typeof done === "string") say(done)
  else done(answer)
  then?.(answer)
}

/** Shows what {@link say} says. It is always in the page, since screen readers ignore new regions. */
export function Status() {
  return (
    <div class={message.value === "" ? "status" : "status shown"} role="status">
      {message.value}
    </div>
  )
}
