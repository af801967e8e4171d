import { expect, test } from "bun:test"
import { interpretTlsa } from "./index.ts"
import recommendations from "./recommendations.json"

const names = {
  usage: ["PKIX-TA", "PKIX-EE", "DANE-TA", "DANE-EE"],
  selector: ["Cert", "SPKI"],
  matching: ["Full", "SHA-256", "SHA-512"],
}
const combinations = names.usage.flatMap((_, usage) =>
  names.selector.flatMap((_, selector) =>
    names.matching.map((_, matching) => ({ usage, selector, matching })),
  ),
)
const textOf = (c: { usage: number; selector: number; matching: number }) =>
  `${c.usage} ${c.selector} ${c.matching}`

test("the 24 valid combinations have a different text each", () => {
  expect(Object.keys(recommendations)).toEqual(combinations.map(textOf))
  expect(new Set(Object.values(recommendations)).size).toBe(24)
})

test("the 24 valid combinations have the names of RFC 7218, digests as commonly written", () => {
  for (const combination of combinations) {
    const { usage, selector, matching } = interpretTlsa({ ...combination, data: "" }, [])
    expect([usage.name, selector.name, matching.name]).toEqual([
      names.usage[combination.usage] ?? "",
      names.selector[combination.selector] ?? "",
      names.matching[combination.matching] ?? "",
    ])
    for (const term of [usage, selector, matching])
      expect(term.full_description.length).toBeGreaterThan(term.description.length)
  }
})

test("the 24 valid combinations are never Insecure, and only 3 1 1 is called the recommended configuration", () => {
  for (const combination of combinations) {
    const { security_level, recommendation } = interpretTlsa({ ...combination, data: "" }, [])
    expect(security_level).not.toBe("Insecure")
    expect(recommendation.includes("the recommended configuration")).toBe(textOf(combination) === "3 1 1")
  }
})

test.each(combinations)(
  "the 24 valid combinations: %j: the text mentions mail, digest and size where they matter",
  (combination) => {
    const { security_level, recommendation } = interpretTlsa({ ...combination, data: "" }, [])
    const isUnusableForMail = combination.usage < 2
    expect(recommendation.includes("unusable (RFC 7672 §3.1.3)")).toBe(isUnusableForMail)
    expect(recommendation).toContain("SMTP")
    expect(recommendation.includes("need not support")).toBe(combination.matching === 2)
    expect(recommendation.includes("RFC 7671 §10.1")).toBe(combination.matching === 0)
    expect(security_level === "Discouraged").toBe(combination.matching === 0)
    if (combination.matching !== 1) expect(recommendation.toLowerCase()).toContain("publish")
  },
)

test("the 24 valid combinations are documented with these names and levels", async () => {
  const page = await Bun.file(new URL("../../../docs/danevalidator.md", import.meta.url)).text()
  const rows = page.split("\n").filter((line) => /^\| \d/.test(line))
  const expected = combinations.map((combination) => {
    const { usage, selector, matching, security_level } = interpretTlsa({ ...combination, data: "" }, [])
    return `| ${textOf(combination)} | ${usage.name}, ${selector.name}, ${matching.name} | ${security_level} |`
  })
  expect(rows).toEqual(expected)
})

test.each<[value: number, names: readonly string[], text: string]>([
  [4, ["Unassigned", "Unassigned", "Unassigned"], "No standard gives"],
  [254, ["Unassigned", "Unassigned", "Unassigned"], "No standard gives"],
  [255, ["PrivCert", "PrivSel", "PrivMatch"], "private use (RFC 7218)"],
  [256, ["Out of range", "Out of range", "Out of range"], "one byte"],
  [-1, ["Out of range", "Out of range", "Out of range"], "one byte"],
])("other numbers: %d", (value, expectedNames, text) => {
  const terms = interpretTlsa({ usage: value, selector: value, matching: value, data: "" }, ["Fault."])
  expect([terms.usage.name, terms.selector.name, terms.matching.name]).toEqual([...expectedNames])
  for (const term of [terms.usage, terms.selector, terms.matching])
    expect(term.full_description).toContain(text)
})

test("a record with faults is Insecure whatever its numbers, and the text names every fault", () => {
  for (const combination of combinations) {
    const faults = ["One.", "Two."]
    const { security_level, recommendation } = interpretTlsa({ ...combination, data: "" }, faults)
    expect(security_level).toBe("Insecure")
    expect(recommendation).toContain("One. Two. Correct the data")
    expect(recommendation).not.toContain("recommended configuration")
  }
})

test("a record with faults with unassigned numbers gets 3 1 1 recommended", () => {
  const { security_level, recommendation } = interpretTlsa({ usage: 4, selector: 1, matching: 1, data: "" }, [
    "X.",
  ])
  expect(security_level).toBe("Insecure")
  expect(recommendation).toEndWith("X. The recommended configuration is 3 1 1.")
})
