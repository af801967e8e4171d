import fc from "fast-check"
import { cardvalidator } from "../../src/apis/cardvalidator/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"

const starts = ["4", "51", "2221", "34", "37", "6011", "36", "3528", "5018", "2200", "506099", "9"]

export const oracle = defineOracle<string, boolean>({
  api: "cardvalidator",
  against: "python3-stdnum (Luhn)",
  cases: 10_000,
  generate: fc
    .tuple(fc.constantFrom(...starts), fc.stringMatching(/^\d{6,16}$/))
    .map((parts) => parts.join("")),
  version: () => debianVersion("python3-stdnum"),
  async ours(number) {
    const answer = await ask(cardvalidator, { number })
    return answer?.problems.every(({ code }) => code !== "check_digit") ?? false
  },
  theirs: (numbers) => askPython("cardvalidator.py", numbers, "python3-stdnum"),
  known: [],
})
