/** Reports of DMARC as random data and as XML, for tests and oracles. */
import fc from "fast-check"

/** An element: its name, and its text or children. */
export type Node = readonly [name: string, content: string | readonly Node[]]

const dmarcNamespace = "urn:ietf:params:xml:ns:dmarc-2.0"

/** Writes an element and what is in it, with blanks or without. */
function writeXml([name, content]: Node, attributes = "", isIndented = false): string {
  if (typeof content === "string") return `<${name}${attributes}>${escapeText(content)}</${name}>`
  const between = isIndented ? "\n " : ""
  return `<${name}${attributes}>${between}${content.map((child) => writeXml(child, "", isIndented)).join(between)}${between}</${name}>`
}

/** Writes a report of RFC 9990, or without its namespace. */
export const writeReport = (report: Node, { hasNamespace = true, isIndented = false } = {}): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(report, hasNamespace ? ` xmlns="${dmarcNamespace}"` : "", isIndented)}`

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;")

const label = fc.stringMatching(/^[a-z][a-z\d]{0,8}$/)
const domain = fc.tuple(label, fc.constantFrom("example", "test")).map((parts) => parts.join("."))
const words = fc.constantFrom("Mailer & Sons", "a <b>", "été", "日本", "x]]>y", "0", "forwarded; see list")
const policy = fc.constantFrom("none", "quarantine", "reject")
const ip = fc.oneof(fc.ipV4(), fc.constantFrom("2001:db8::1", "2001:db8:0:1::ff", "fe80::1"))
const dkimResult = fc.constantFrom("none", "pass", "fail", "policy", "neutral", "temperror", "permerror")
const spfResult = fc.oneof(dkimResult, fc.constant("softfail"))
const second = fc.integer({ min: 0, max: 4_000_000_000 }).map(String)

/** An element that may be missing. */
const maybe = (name: string, text: fc.Arbitrary<string>): fc.Arbitrary<readonly Node[]> =>
  fc.option(text, { nil: null }).map((value) => (value === null ? [] : [[name, value]]))

const element = (name: string, text: fc.Arbitrary<string>): fc.Arbitrary<readonly Node[]> =>
  text.map((value): readonly Node[] => [[name, value]])

/** An element with these children, in any order if `isShuffled`. */
const parent = (name: string, children: readonly fc.Arbitrary<readonly Node[]>[], isShuffled = false) =>
  fc
    .tuple(...children)
    .map((lists) => lists.flat())
    .chain((all) => (isShuffled ? fc.shuffledSubarray(all, { minLength: all.length }) : fc.constant(all)))
    .map((all): Node => [name, all])

const one = (node: fc.Arbitrary<Node>) => node.map((value): readonly Node[] => [value])
const many = (node: fc.Arbitrary<Node>, maxLength: number) =>
  fc.array(node, { maxLength }).map((value): readonly Node[] => value)

const reason = parent("reason", [
  element(
    "type",
    fc.constantFrom("local_policy", "mailing_list", "other", "policy_test_mode", "trusted_forwarder"),
  ),
  maybe("comment", words),
])
const evaluated = parent("policy_evaluated", [
  element("disposition", fc.constantFrom("none", "pass", "quarantine", "reject")),
  element("dkim", fc.constantFrom("pass", "fail")),
  element("spf", fc.constantFrom("pass", "fail")),
  many(reason, 2),
])
const record = parent("record", [
  one(
    parent(
      "row",
      [
        element("source_ip", ip),
        element("count", fc.integer({ min: 1, max: 1e6 }).map(String)),
        one(evaluated),
      ],
      true,
    ),
  ),
  one(
    parent(
      "identifiers",
      [element("header_from", domain), maybe("envelope_from", domain), maybe("envelope_to", domain)],
      true,
    ),
  ),
  one(
    parent("auth_results", [
      many(
        parent(
          "dkim",
          [
            element("domain", domain),
            element("selector", label),
            element("result", dkimResult),
            maybe("human_result", words),
          ],
          true,
        ),
        3,
      ),
      fc
        .option(
          parent(
            "spf",
            [
              ...[element("domain", domain), maybe("scope", fc.constant("mfrom"))],
              ...[element("result", spfResult), maybe("human_result", words)],
            ],
            true,
          ),
          { nil: null },
        )
        .map((value): readonly Node[] => (value === null ? [] : [value])),
    ]),
  ),
])

/** Valid reports of RFC 9990. */
export const reports: fc.Arbitrary<Node> = parent("feedback", [
  maybe("version", fc.constant("1.0")),
  one(
    parent(
      "report_metadata",
      [
        ...[element("org_name", words), element("email", fc.constant("dmarc@reporter.example"))],
        ...[maybe("extra_contact_info", words), element("report_id", label), maybe("error", words)],
        one(
          fc
            .tuple(second, second)
            .map((both) => both.sort((a, b) => Number(a) - Number(b)))
            .map(
              ([begin = "", end = ""]): Node => [
                "date_range",
                [
                  ["begin", begin],
                  ["end", end],
                ],
              ],
            ),
        ),
        maybe("generator", words),
      ],
      true,
    ),
  ),
  one(
    parent(
      "policy_published",
      [
        ...[element("domain", domain), element("p", policy), maybe("sp", policy), maybe("np", policy)],
        ...[maybe("adkim", fc.constantFrom("r", "s")), maybe("aspf", fc.constantFrom("r", "s"))],
        ...[
          maybe("discovery_method", fc.constantFrom("psl", "treewalk")),
          maybe("fo", fc.constantFrom("0", "1:d:s")),
        ],
        maybe("testing", fc.constantFrom("n", "y")),
      ],
      true,
    ),
  ),
  fc.array(record, { minLength: 1, maxLength: 4 }).map((all): readonly Node[] => all),
])

/** Reports with some mistakes: elements left out, repeated, moved, renamed, added or with another text. */
export const brokenReports: fc.Arbitrary<Node> = fc
  .tuple(
    reports,
    fc.array(
      fc.record({
        at: fc.nat(10_000),
        how: fc.constantFrom("drop", "repeat", "move", "rename", "add", "text", "blank"),
        text: fc.constantFrom(
          "",
          "pass",
          "Pass",
          "helo",
          "forwarded",
          "x",
          "1.1",
          "-1",
          "+2",
          " 7 ",
          "07",
          "1e3",
          "unknown",
        ),
        name: fc.constantFrom(
          "pct",
          "row",
          "spf",
          "dkim",
          "version",
          "np",
          "x",
          "domain",
          "extension",
          "reason",
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([report, changes]) => changes.reduce((node, change) => mutate(node, change), report))

interface Change {
  readonly at: number
  readonly how: string
  readonly text: string
  readonly name: string
}

/** Changes one of the elements below an element: the one with this number, counted in depth. */
function mutate(report: Node, change: Change): Node {
  let left = change.at % Math.max(1, countOf(report) - 1)
  function changed(node: Node): Node {
    const [name, content] = node
    if (typeof content === "string") return node
    const children: Node[] = []
    for (const child of content) {
      if (left-- === 0) children.push(...replaced(child, change))
      else children.push(left < 0 ? child : changed(child))
    }
    if (change.how === "move" && left < 0) children.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return [name, children]
  }
  return changed(report)
}

function replaced(node: Node, { how, text, name }: Change): readonly Node[] {
  const [own, content] = node
  if (how === "drop") return []
  if (how === "repeat") return [node, node]
  if (how === "rename") return [[name, content]]
  if (how === "add") return [node, [name, text]]
  if (how === "text") return [[own, text]]
  if (how === "blank" && typeof content === "string") return [[own, ` ${content}\n`]]
  return [node]
}

const countOf = ([, content]: Node): number =>
  typeof content === "string" ? 1 : content.reduce((sum, child) => sum + countOf(child), 1)
