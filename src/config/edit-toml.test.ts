import { expect, test } from "bun:test"
import fc from "fast-check"
import { editToml } from "./edit-toml.ts"
import { readToml } from "./file.ts"

const edit = (text: string, path: string, value: unknown) =>
  editToml("p.toml", text, [{ path: path.split("."), value }])

test.each<[text: string, path: string, value: unknown, after: string]>([
  ["# a\n\nmax_calls = 5 # b\n", "max_calls", 6, "# a\n\nmax_calls = 6 # b\n"],
  [
    "a = 1\n\n[credits] # prices\nhmac = 1\n",
    "credits.x",
    0,
    "a = 1\n\n[credits] # prices\nhmac = 1\nx = 0\n",
  ],
  ["", "plans.team.premium", true, "[plans.team]\npremium = true\n"],
  [
    "[plans.free]\npremium = true\n",
    "plans.team.premium",
    false,
    "[plans.free]\npremium = true\n\n[plans.team]\npremium = false\n",
  ],
  [
    "plans = { free = { premium = true } } # all\n",
    "plans.team.premium",
    true,
    "plans = { free = { premium = true }, team.premium = true } # all\n",
  ],
  [
    "[plans.a]\nx = 1\n\n# keep\n[plans.b]\ny = 2 # and this\n",
    "plans.a",
    null,
    "# keep\n[plans.b]\ny = 2 # and this\n",
  ],
  ["host = 'x'\r\nmax_calls = 1 # c\r\n", "max_calls", 2, "host = 'x'\r\nmax_calls = 2 # c\r\n"],
  [
    "# Ann's\n\n# plans\n[plans.free]\npremium = true\n",
    "max_calls",
    5,
    "# Ann's\n\nmax_calls = 5\n\n# plans\n[plans.free]\npremium = true\n",
  ],
  ["credits = { a = 1, hmac = 2 } # b", "credits.hmac", null, "credits = { a = 1 } # b"],
  ["credits = { a = 1, hmac = 2 } # b", "credits.a", null, "credits = { hmac = 2 } # b"],
  ["max_calls = 5 # last", "credits.hmac", 1, "max_calls = 5 # last\n\n[credits]\nhmac = 1\n"],
  ["a = 1\n", "b.c", null, "a = 1\n"],
  ["a = 1 # same\n", "a", 1, "a = 1 # same\n"],
  [
    "plans.team.price = 'x' # y\n",
    "plans.team.premium",
    true,
    "plans.team.price = 'x' # y\nplans.team.premium = true\n",
  ],
  [
    "plans.a.x = 1\n\n[credits]\nhmac = 1\n",
    "plans.b.x",
    2,
    "plans.a.x = 1\nplans.b.x = 2\n\n[credits]\nhmac = 1\n",
  ],
])("%j, %s = %j", (text, path, value, after) => expect(edit(text, path, value).trimStart()).toBe(after))

test.each(["[credits]\nhmac = 1\n", "host = 'x'\n", ""])(
  "a byte order mark stays where it is: %j",
  (text) => {
    for (const [path, value] of [
      ["max_calls", 5] as const,
      ["credits.hmac", 2] as const,
      ["host", null] as const,
    ])
      expect(edit(`\ufeff${text}`, path, value)).toBe(`\ufeff${edit(text, path, value)}`)
  },
)

test("a plan removed and another added in one change: the comments of the others stay", () => {
  const text = "[plans.free] # trials\nmonthly_credits = 1 # few\n\n[plans.team]\nmonthly_credits = 2\n"
  const edited = editToml("p.toml", text, [
    { path: ["plans", "team"], value: null },
    { path: ["plans", "new", "monthly_credits"], value: 3 },
  ])
  expect(edited).toMatch(/\[plans\.free\] +# trials\nmonthly_credits = 1 +# few\n/)
  const plans = { free: { monthly_credits: 1 }, new: { monthly_credits: 3 } }
  expect(readToml("p.toml", edited)).toEqual({ plans })
})

test("any change of any text is read back as it was asked for, and other comments stay", () => {
  const texts = [
    "# c0\n\nhost = 'a' # c1\n\n[plans.free] # c2\nmonthly_credits = 1_000 # c3\n\n# c5\n[credits] # c4\nhmac = 1\n",
    "plans.free.monthly_credits = 3\ncredits = { hmac = 2 } # c4\nhost='x' # c1\n# c0\n",
    "# c0\n\n[plans]\nfree = { premium = true }\nteam.monthly_credits = 5\n\n# c5\n[credits] # c4\nx-y = 1\r\nhost = 1\n",
    "[plans.team]\npremium = true\n# c1\n\n# c0\n[plans.a_b] # c6\nx = [\n 1, # c7\n]\n# c4",
    "",
  ]
  const path = fc.constantFrom(
    ["max_calls"],
    ["public_url"],
    ["credits", "hmac"],
    ["credits", "x-y"],
    ["plans", "free", "monthly_credits"],
    ["plans", "team", "premium"],
    ["plans", "a_b", "x"],
  )
  const value = fc.oneof(
    fc.integer({ min: 0 }),
    fc.boolean(),
    fc.string({ unit: "grapheme" }).filter((text) => text.isWellFormed()),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.constant(null),
  )
  const edits = fc.array(fc.record({ path, value }), { maxLength: 8 })
  fc.assert(
    fc.property(fc.constantFrom(...texts), edits, (text, changes) => {
      const edited = editToml("p.toml", text, changes)
      const values = readToml("p.toml", edited)
      const last = new Map(changes.map((change) => [change.path.join("."), change]))
      for (const { path: names, value: wanted } of last.values()) {
        const found = names.reduce<unknown>((table, name) => Reflect.get(Object(table), name), values)
        expect(found ?? null).toEqual(wanted)
      }
      for (const comment of ["# c0", "# c1", "# c4", "# c5"])
        expect(edited.includes(comment)).toBe(text.includes(comment))
    }),
    { numRuns: 300 },
  )
})
