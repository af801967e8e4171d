import { expect, test } from "bun:test"
import fc from "fast-check"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { builtInVendors, createMacvendor, formatMac, macvendor, parseMac } from "./index.ts"
import facts from "./list-facts.json"
import { findAssignment, readVendors, toLines } from "./vendor-list.ts"

const lookUp = async (mac: string, api = macvendor) =>
  api.run({ mac }, { ports: portsFor({}), giveWay: () => undefined, premium: true })

test.each([
  ["00005E005301", 48],
  ["00:00:5e:00:53:01", 48],
  ["00-00-5E-00-53-01", 48],
  ["00.00.5E.00.53.01", 48],
  ["00 00 5E 00 53 01", 48],
  ["0000.5e00.5301", 48],
  ["0000-5E00-5301", 48],
  ["00005E-005301", 48],
  [" 0:0:5e:0:53:1\n", 48],
  ["02:00:5E:10:00:00:00:01", 64],
  ["0200.5e10.0000.0001", 64],
  ["00:00:5E", null],
  ["00-00-5E-0", null],
  ["00005E0", null],
])("forms of an address: %s", (text, bits) => expect(parseMac(text)).toMatchObject({ bits }))

test.each([
  "",
  "00005",
  "00:00",
  "00:00:5E:00-53-01",
  "00:00:5E:00:53:0G",
  "00005E0053010000000",
  "0:0:5e",
  "00:00:5E:00:53:01:",
  "::::::",
  "００:00:5E:00:53:01",
  "00\u000000:5E:00:53:01",
  `${"00:".repeat(13)}0`,
])("forms of an address: %p is refused", async (text) => {
  expect(parseMac(text)).toBeNull()
  await expect(lookUp(text)).rejects.toThrow("The 'mac' parameter must be a MAC address")
})

test("forms of an address: every address is read back from every form", () => {
  const digits = fc.stringMatching(/^(?:[0-9A-F]{12}|[0-9A-F]{16})$/)
  fc.assert(
    fc.property(digits, (text) => {
      const pairs = text.match(/../g) ?? []
      const fours = text.match(/..../g) ?? []
      for (const form of [text.toLowerCase(), formatMac(text), pairs.join("-"), fours.join(".")])
        expect(parseMac(form)).toEqual({ digits: text, bits: text.length === 12 ? 48 : 64 })
    }),
    { seed: 26 },
  )
})

test("the built-in list: each prefix is found, and the whole list is in order", async () => {
  const lines = (await builtInVendors.lines()).toString().split("\n")
  expect(lines.pop()).toBe("")
  expect(lines).toHaveLength(facts.prefixes)
  const prefixes = lines.map((line) => /^[0-9A-F]+/.exec(line)?.[0] ?? "")
  expect(prefixes).toEqual([...new Set(prefixes)].sort())
  // Every 40th, the first and the last: all of them take 0.3 s.
  for (const [index, prefix] of prefixes.entries()) {
    if (index % 40 !== 0 && index !== prefixes.length - 1) continue
    const found = await findAssignment(prefix, builtInVendors)
    expect(found).toMatchObject({ prefix, organization: expect.stringMatching(/^[^=\t\n]+$/) })
  }
})

test.each([
  ["00:00:0C:00:00:00", { organization: "Cisco Systems, Inc", registry: "MA-L" }],
  ["001BC5000123", { organization: "Converging Systems Inc.", prefix: "00:1B:C5:00:0", registry: "MA-S" }],
  ["0050C2003123", { organization: "Microsoft", registry: "IAB" }],
  ["00:01:01:00:00:00", { is_found: true, organization: null, is_private: true, organization_address: null }],
  ["AA:00:04:00:00:01", { organization: "DIGITAL EQUIPMENT CORPORATION", is_locally_administered: true }],
  // Multicast of IPv4 (RFC 1112 §6.4): the prefix of IANA with the bit of groups.
  ["01:00:5E:00:00:01", { organization: "ICANN, IANA Department", prefix: "00:00:5E", is_group: true }],
  ["11:11:11:00:00:00", { is_found: true, is_private: true, is_group: true }],
  ["FF:FF:FF:FF:FF:FF", { is_found: false, is_group: true, is_broadcast: true, is_divided: false }],
  ["00:1B:C5", { is_found: false, organization: null, prefix: null, is_divided: true, bits: null }],
  ["00:00:00:00:00:00", { organization: "XEROX CORPORATION", is_group: false }],
])("the built-in list: %s", async (mac, answer) =>
  expect(await lookUp(mac)).toMatchObject({ ...answer, data_date: facts.date }),
)

const text = (list: object) => JSON.stringify(list)

test("another list replaces the built-in one, with its date or without", async () => {
  const vendors = {
    "00000C": "Other\nStreet 1\nNorway",
    "00000C1": "Longer",
    "00000C234": "Longest",
    "00000D": "Other\nStreet 1\nNorway",
  }
  const other = createMacvendor(readVendors(text({ date: "2027-03-01", vendors })))
  expect(await lookUp("00000C456789", other)).toMatchObject({
    organization: "Other",
    organization_address: ["Street 1", "Norway"],
    data_date: "2027-03-01",
  })
  expect(await lookUp("00000D456789", other)).toMatchObject({ organization: "Other", prefix: "00:00:0D" })
  const found = await lookUp("00000C123456", other)
  expect(found).toMatchObject({ organization: "Longer", organization_address: null })
  expect(await lookUp("00000C234567", other)).toMatchObject({ organization: "Longest" })
  expect(await lookUp("00005E005301", other)).toMatchObject({ is_found: false })
  const undated = createMacvendor(readVendors(text(vendors)))
  expect(await lookUp("00000C", undated)).toMatchObject({ data_date: null })
})

test.each([
  ["", "JSON"],
  ["[]", "expected an object of prefixes"],
  ["{}", "the list has no prefixes"],
  ['{"00000c": "A"}', "'00000c' is not a prefix"],
  ['{"00000C12": "A"}', "'00000C12' is not a prefix"],
  ['{"00000C": " "}', "00000C: expected a name"],
  ['{"00000C": 1}', "00000C: expected a name"],
  [text({ "00000C": "A".repeat(1001) }), "00000C: expected a name of at most 1000"],
  ['{"date": "today", "vendors": {"00000C": "A"}}', "the date of the list must be"],
])("another list: %p is refused", (list, message) => expect(() => readVendors(list)).toThrow(message))

test("another list: any list is found again by binary search", async () => {
  const prefix = fc.stringMatching(/^(?:[0-9A-F]{6}|[0-9A-F]{7}|[0-9A-F]{9})$/)
  const name = fc.stringMatching(/^[A-Z]{1,3}(?:\n[a-zé]{1,20}){0,2}$/)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(prefix, name), { minLength: 1, maxLength: 60 }),
      prefix,
      async (pairs, other) => {
        const texts = new Map(pairs)
        const vendors = { date: null, lines: () => Buffer.from(toLines(texts)) }
        for (const digits of [...texts.keys(), other]) {
          const found = await findAssignment(digits, vendors)
          const expected = [9, 7, 6]
            .map((length) => digits.slice(0, length))
            .find((start) => texts.has(start))
          expect(found?.prefix).toBe(expected)
          const [organization, ...address] = (texts.get(expected ?? "") ?? "").split("\n")
          if (found !== null) expect(found).toMatchObject({ organization, address })
        }
      },
    ),
    { seed: 26, numRuns: 200 },
  )
})
