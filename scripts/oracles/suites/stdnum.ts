import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gtinvalidator } from "../../../src/apis/gtinvalidator/index.ts"
import { ibanvalidator } from "../../../src/apis/ibanvalidator/index.ts"
import { vatvalidator } from "../../../src/apis/vatvalidator/index.ts"
import { ask } from "../oracle.ts"
import type { Suite, SuiteResult } from "../suite.ts"

type IsValid = (number: string) => Promise<boolean>

const isGtin: IsValid = async (code) => (await ask(gtinvalidator, { code }))?.is_valid ?? false
const isIban: IsValid = async (iban) => (await ask(ibanvalidator, { iban }))?.is_valid ?? false
const isVatOf =
  (country?: string): IsValid =>
  async (number) =>
    (await ask(vatvalidator, { number, ...(country !== undefined && { country }) }))?.is_valid ?? false

const vatModules =
  "at/uid be/vat bg/vat ch/vat cy/vat cz/dic de/vat dk/cvr ee/kmkr es/nif fi/alv fr/tva gb/vat gr/vat hr/oib hu/anum ie/vat it/iva lt/pvm lu/tva lv/pvn mt/vat nl/btw no/mva pl/nip pt/nif ro/cf se/vat si/ddv sk/dph".split(
    " ",
  )

/** The modules of kinds of numbers that an API has. */
const modules: Readonly<Record<string, IsValid>> = {
  ...{ ean: isGtin, isbn: isGtin, ismn: isGtin, issn: isGtin, iban: isIban, "eu/vat": isVatOf() },
  ...Object.fromEntries(vatModules.map((module) => [module, isVatOf(module.slice(0, 2).toUpperCase())])),
}

/** `>>> validate('…')` and its first line of output, which is `Traceback` for a number that is wrong. */
const example = /^>>> (?:validate|[a-z]+\.validate)\('([^']*)'\)(?: .*)?\n(.*)$/gm

function suiteOf(api: string, names: readonly string[]): Suite {
  return {
    api,
    name: "python-stdnum",
    get: "git clone https://github.com/arthurdejong/python-stdnum",
    async run(folder) {
      const results = names.map(async (name) => {
        const text = readFileSync(join(folder, "stdnum", `${name}.py`), "utf8")
        return Promise.all(
          [...text.matchAll(example)].map(async ([, number = "", output = ""]): Promise<SuiteResult> => {
            const wanted = !output.startsWith("Traceback")
            const isRight = (await modules[name]?.(number)) === wanted
            return { test: `${name} ${number}: ${wanted ? "valid" : "not valid"} there`, isRight }
          }),
        )
      })
      return (await Promise.all(results)).flat()
    },
  }
}

export const vatSuite = suiteOf("vatvalidator", ["eu/vat", ...vatModules])
export const ibanSuite = suiteOf("ibanvalidator", ["iban"])
export const gtinSuite = suiteOf("gtinvalidator", ["ean", "isbn", "ismn", "issn"])
