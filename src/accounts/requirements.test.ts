import { expect, test } from "bun:test"
import { AccountError, requireName } from "./requirements.ts"

test.each(["a", "山", "🎉", "👩‍👩‍👧", "🇩🇪", "\u0645", "e\u0301", "½", "-"])("%j is a name", (text) =>
  expect(() => requireName(text, "It")).not.toThrow(),
)

test.each([
  "",
  " ",
  ..."\u00a0\u3000 \u200b \u2060\u200d \u00ad \ufeff \u115f\u3164\uffa0 \u2800 \ufe0f".split(" "),
  ..."\u0301 \u{e0041} \ud83c".split(" "),
])("%j is no name: nothing shows", (text) => expect(() => requireName(text, "It")).toThrow(AccountError))
