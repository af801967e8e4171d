import { Type } from "@sinclair/typebox"
import { choice, defineApi, nullable, nullableText, premium, reject } from "../contract.ts"
import { type BimiResult, checkBimi, checkLogo } from "../mail/bimi.ts"
import { problemList } from "../mail/bimi-problems.ts"
import { dmarcPolicies } from "../mail/dmarc-walk.ts"
import { requireDomain } from "../mail/look-up.ts"
import { markCertificate } from "../mail/mark-certificate.ts"
import { authoritiesDate, serverCertificate, webAuthorities } from "../mail/server-certificate.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

/** With `_bimi.` and the selector before it, a domain must still be a name of 253 bytes. */
const longestName = 253

export const bimivalidator = defineApi({
  id: "bimivalidator",
  title: "BIMI validator",
  category: "mail",
  keywords: [
    "BIMI",
    "brand indicator",
    "logo",
    "VMC",
    "CMC",
    "mark certificate",
    "SVG Tiny PS",
    "_bimi",
    "default._bimi",
  ],
  description:
    "Checks the logo that a domain wants shown beside its mail (BIMI): the record, the DMARC policy that it needs, the SVG by the profile Tiny PS, and the mark certificate (VMC or CMC). A logo can also be checked before it is published.",
  method: "POST",
  singleValues: ["domain", "selector"],
  credits: 3,
  asksDns: true,
  asksWeb: true,
  lists: [webAuthorities],
  input: Type.Object({
    domain: field.optional.text(
      "The domain that mail is from, such as example.com. Needed unless `svg` is given.",
      { minLength: 1 },
    ),
    selector: field.optional.text("The selector of the record, the first label of its name.", {
      default: "default",
      minLength: 1,
      maxLength: 63,
      pattern: "^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$",
    }),
    svg: field.optional.text(
      "The text of a logo. With it, the logo is not read over HTTPS. Without a domain, the logo alone is checked.",
      { minLength: 1, maxLength: 65_536 },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    domain: nullableText("The domain in lower case and in ASCII (A-labels); null without one."),
    record_name: nullableText(
      "The name of the record: the selector and `_bimi` below the domain, or below its organizational domain.",
    ),
    record: nullableText("The record; null if there is none, or more than one."),
    is_declined: field.flag("Whether the record says that there is no logo."),
    logo_url: nullableText("The URL of the logo; null without a valid one."),
    authority_url: nullableText("The URL of the mark certificate; null without a valid one."),
    dmarc_policy: nullable(choice(dmarcPolicies, { description: "The policy." }), {
      description: "What the DMARC policy of the domain asks receivers to do; null without a policy.",
    }),
    is_svg_valid: field.nullableFlag(
      "Whether the logo follows the profile SVG Tiny PS; null when there is no logo to check.",
    ),
    svg_title: nullableText("The title of the logo."),
    vmc: nullable(markCertificate, {
      description: "The mark certificate; null when there is none, or it was not read.",
    }),
    certificate_chain: premium(
      Type.Array(serverCertificate, {
        description: "The certificates of the mark's bundle, that of the mark first.",
      }),
    ),
    data_date: authoritiesDate,
  }),
  examples: storedExamples(stored, answers),
  async run({ domain: text, selector = "default", svg }, { ports }) {
    if (text === undefined) {
      if (svg === undefined) return reject("domain", "must be given, or 'svg'")
      return toOutput(null, await checkLogo(svg))
    }
    const domain = await requireDomain(text)
    const longest = longestName - "._bimi.".length - selector.length
    if (domain.length > longest) reject("domain", `must be at most ${longest} bytes long with this selector`)
    const result = await checkBimi({ domain, selector: selector.toLowerCase(), given: svg ?? null }, ports)
    if (result.problems.some(({ code, where }) => code === "document_not_read" && where === result.logo_url))
      reject("svg", "must be given, since this service sends no HTTPS requests")
    return toOutput(domain, result)
  },
})

function toOutput(domain: string | null, { is_valid, problems, certificate_chain, ...rest }: BimiResult) {
  return {
    ...{ is_valid, problems, domain },
    ...rest,
    certificate_chain: [...certificate_chain],
    data_date: webAuthorities.date,
  }
}
