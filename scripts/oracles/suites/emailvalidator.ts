import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SaxesParser } from "saxes"
import { emailvalidator } from "../../../src/apis/emailvalidator/index.ts"
import { ask } from "../oracle.ts"
import type { Suite, SuiteResult } from "../suite.ts"

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
    const tests = readTests(readFileSync(join(folder, "test/tests.xml"), "utf8"))
    return Promise.all(tests.map(runTest))
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

async function runTest({ id, address, category }: EmailTest): Promise<SuiteResult> {
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
