import { useEffect, useState } from "preact/hooks"
import { after } from "./browser.ts"

/** A number that rises each time `everyMs` have passed while the page can be seen. */
export function useTick(everyMs: number): number {
  const [count, setCount] = useState(0)
  useEffect(
    () =>
      after(everyMs, () => {
        if (document.visibilityState === "visible") setCount(count + 1)
        else document.addEventListener("visibilitychange", () => setCount(count + 1), { once: true })
      }),
    [count, everyMs],
  )
  return count
}
