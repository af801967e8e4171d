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

/** Says that something was done, or calls the function that says it. */
export function sayOrCall<T>(done: string | ((answer: T) => void), answer: T): void {
  if (typeof done === "string") say(done)
  else done(answer)
}

/** Shows what {@link say} says. It is always in the page, since screen readers ignore new regions. */
export function Status() {
  return (
    <div class={message.value === "" ? "status" : "status shown"} role="status">
      {message.value}
    </div>
  )
}
