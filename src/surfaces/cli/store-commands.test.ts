import { expect, test } from "bun:test"
import { showSteps } from "./store-commands.ts"

function stepsOn(errIsTerminal: boolean) {
  let shown = ""
  const show = showSteps({
    out() {},
    err: (text) => {
      shown += text
    },
    styled() {},
    columns: null,
    colours: false,
    errIsTerminal,
  })
  show("copy", "small.db", 99_999_999)
  show("copy", "penknife.db", 1_234_567_890)
  show("check", "backup.db", 1_200_000_000)
  return shown
}

test("what is done with a large file is said on a terminal, and nowhere else", () => {
  expect(stepsOn(true)).toBe("Copying penknife.db (1,235 MB) ...\nChecking backup.db (1,200 MB) ...\n")
  expect(stepsOn(false)).toBe("")
})
