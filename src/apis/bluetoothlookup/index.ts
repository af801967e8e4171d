import { Type } from "@sinclair/typebox"
import { defineApi, defineFormat, nullableText, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import embedded from "./companies.json"
import {
  type Companies,
  companyName,
  formatCompanyId,
  highestCompanyId,
  parseCompanyId,
} from "./company-list.ts"
import stored from "./examples.json"

const companyIdFormat = "bluetooth-company-id"
const requirement = "must be a number from 0 to 65535, in decimal (76) or hexadecimal with 0x (0x004C)"

defineFormat(companyIdFormat, (text) => parseCompanyId(text) !== null)

/** The lookup in a list of companies, such as a newer one that the operator configured. */
export function createBluetoothlookup(companies: Companies) {
  return defineApi({
    id: "bluetoothlookup",
    title: "Bluetooth company lookup",
    category: "identity",
    keywords: ["manufacturer", "vendor", "device", "beacon", "BLE", "company identifier", "SIG"],
    description: `Finds the company to which the Bluetooth SIG has assigned a company identifier. ${sourceOf(companies)}`,
    method: "GET",
    credits: 1,
    lists: [{ name: "bluetooth-companies", date: companies.date }],
    input: Type.Object({
      companyid: Type.Union(
        [Type.String({ format: companyIdFormat }), Type.Integer({ minimum: 0, maximum: highestCompanyId })],
        {
          "x-requirement": requirement,
          description:
            "The company identifier, 0 to 65535: decimal, or as text also hexadecimal after `0x` in either case. Leading zeros are allowed.",
        },
      ),
    }),
    output: Type.Object({
      companyId: field.integer("The company identifier."),
      companyIdHex: field.text("The identifier as `0x` and four hexadecimal digits."),
      found: field.flag("Whether the identifier is assigned to a company."),
      company: nullableText("The company's name; null when the identifier is not assigned."),
    }),
    examples: storedExamples(stored, answers),
    run: ({ companyid }) => {
      const companyId = parseCompanyId(String(companyid)) ?? reject("companyid", requirement)
      const company = companyName(companies, companyId)
      return { companyId, companyIdHex: formatCompanyId(companyId), found: company !== null, company }
    },
  })
}

function sourceOf({ date }: Companies): string {
  return date === null
    ? "The operator of this service has chosen the list."
    : `The list is the SIG's of ${date}.`
}

/** The lookup in the built-in list. */
export const bluetoothlookup = createBluetoothlookup(embedded)
