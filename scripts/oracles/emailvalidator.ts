import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { SaxesParser } from "saxes"
import { emailvalidator } from "../../src/apis/emailvalidator/index.ts"
import { ask, askPython, damaged, debianVersion, defineOracle, type Result, type Suite } from "./oracle.ts"

interface Answer {
  readonly valid: boolean
  readonly ascii: string | null
}

const joined = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { minLength: 1, maxLength }).map((list) => list.join("."))
const atom = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9!#$%&'*+\-/=?^_`{|}~]{1,8}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-zéüßøжя日本語कि]{1,8}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z]{60,70}$/) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 4 }) },
)
const label = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/) },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z0-9éüßøжя日本語۰Ａ]{1,8}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z]{60,66}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("xn--zca", "xn--zz", "xn--bcher-kva", "123", "-a", "a-", "☃", "a_b"),
  },
)
const address = fc.tuple(joined(atom, 3), joined(label, 4)).map((parts) => parts.join("@"))
const special = fc.constantFrom(
  ...'"a@b"@x.com a@[192.0.2.1] a@[IPv6:2001:db8::1] a@x.test a@x.onion a(b)@x.com a@b a@1.2.3.4'.split(" "),
  ...'"a b"@x.com,a @x.com,.a@b.com,a.@b.com,a..b@c.com,a@b..com,a@.com,@x.com,a@'.split(","),
)

/** Addresses whose local part has characters that Unicode 14, the version of Python, does not show or does not have. */
const withUnseen = new Set<string>()

export const oracle = defineOracle<string, Answer>({
  api: "emailvalidator",
  against: "python3-email-validator",
  cases: 10_000,
  generate: fc
    .oneof(
      { weight: 10, arbitrary: address },
      { weight: 8, arbitrary: damaged(address, '@. .("\\[,-<é\n\u200b') },
      { weight: 1, arbitrary: special },
    )
    .filter((text) => text.length <= 320 && text.isWellFormed() && text !== ""),
  version: () => debianVersion("python3-email-validator"),
  async ours(email) {
    const answer = await ask(emailvalidator, { email })
    return { valid: answer?.is_valid ?? false, ascii: answer?.ascii ?? null }
  },
  async theirs(emails) {
    const answers = await askPython<Answer & { unseen: boolean }>(
      "emailvalidator.py",
      emails,
      "python3-email-validator",
    )
    return answers.map(({ unseen, ...answer }, index) => {
      if (unseen) withUnseen.add(emails[index] ?? "")
      return answer
    })
  },
  known: [
    {
      reason:
        "A-labels that stand for no label of IDNA, such as one that begins with a hyphen (RFC 5891 section 4.2.3.1); it takes them",
      fits: (email, ours, theirs) => /@(?:.*\.)?xn--/i.test(email) && !ours.valid && theirs.valid,
    },
    {
      reason: "quoted local parts and addresses in brackets, which RFC 5321 §4.1.2 and 4.1.3 allow",
      fits: (email, ours) => ours.valid && /^"|@\[/.test(email),
    },
    {
      reason: "reserved domains such as `.onion`: a warning here, an error there",
      fits: (email, ours) => ours.valid && /\.(?:onion|local|localhost|invalid|arpa)$/.test(email),
    },
    {
      reason:
        "hyphens at the third and fourth place of a label, which IDNA reserves but RFC 5321 §2.3.5 allows in ASCII",
      fits: (email, ours) => ours.valid && /[@.](?!xn)[a-z0-9-]{2}--/i.test(email.replaceAll("\u200b", "")),
    },
    {
      reason:
        "local parts with characters that are not seen, join others or are newer than its Unicode 14; RFC 6532 §3.1 allows them",
      fits: (email, ours) => ours.valid && withUnseen.has(email),
    },
    {
      reason: "local parts of over 64 bytes but not over 64 characters; RFC 6531 §3.3 counts bytes",
      fits: (email, ours, theirs) =>
        theirs.valid && !ours.valid && Buffer.byteLength(email.split("@")[0] ?? "") > 64,
    },
  ],
})
/** The categories here for those of is_email. Its categories of the DNS are of addresses with a right form. */
const diagnoses: Readonly<Record<string, readonly string[]>> = {
  ISEMAIL_VALID_CATEGORY: ["valid"],
  ISEMAIL_DNSWARN: ["valid"],
  ISEMAIL_RFC5321: ["unusual"],
  ISEMAIL_CFWS: ["header_only"],
  ISEMAIL_DEPREC: ["obsolete"],
  ISEMAIL_RFC5322: ["too_broad"],
  ISEMAIL_ERR: ["invalid"],
}

const suite: Suite = {
  api: "emailvalidator",
  name: "isemail",
  get: "git clone https://github.com/dominicsayers/isemail",
  async run(folder) {
    return Promise.all(readTests(readFileSync(join(folder, "test/tests.xml"), "utf8")).map(runTest))
  },
}

interface EmailTest {
  id: string
  address: string
  category: string
}

function readTests(text: string): readonly EmailTest[] {
  const tests: EmailTest[] = []
  let field = ""
  const parser = new SaxesParser({ xmlns: false })
  parser.on("opentag", ({ name, attributes }) => {
    field = name
    if (name === "test") tests.push({ id: attributes.id ?? "", address: "", category: "" })
  })
  parser.on("closetag", () => {
    field = ""
  })
  parser.on("text", (content) => {
    const current = tests.at(-1)
    // XML has no control characters: the suite has their symbols, from U+2400 on.
    if (field === "address" && current)
      current.address += content.replace(/[\u2400-\u241f]/g, (one) =>
        String.fromCharCode(one.charCodeAt(0) - 0x2400),
      )
    if (field === "category" && current) current.category += content.trim()
  })
  parser.write(text).close()
  return tests
}

async function runTest({ id, address, category }: EmailTest): Promise<Result> {
  const answer = await ask(emailvalidator, { email: address })
  // An empty address is refused before the run.
  const diagnosis = answer?.diagnosis ?? "invalid"
  const isRight = diagnoses[category]?.includes(diagnosis) ?? false
  const isSingleLabel = answer?.problems.map(({ code }) => code).join() === "single_label"
  return {
    test: `${id} ${JSON.stringify(address)}: ${category}, not ${diagnosis}`,
    isRight,
    reason: isRight || !isSingleLabel ? undefined : "a domain of a single label has a warning here",
  }
}

export const suites = [suite]
