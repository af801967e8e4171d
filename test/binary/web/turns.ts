import { test } from "bun:test"
import { hasTurn } from "../../support/turns.ts"
import { giveBackAll } from "./tabs.ts"

/**
 * A screen's tests in the browser: the check of each commit tries the first, and one of six the others, so that each screen is
 * opened and used with every commit. All of them took a fifth of the check's processor time. A visit ends with its test.
 */
export function testsInTurn(): (name: string, run: () => Promise<void>) => void {
  let place = 0
  return (name, run) => {
    test.if(place === 0 || hasTurn(place, 6))(name, async () => {
      await run()
      await giveBackAll()
    })
    place++
  }
}
