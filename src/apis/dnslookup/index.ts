import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import {
  choice,
  type DnsRecord,
  type DnsReply,
  type DnsType,
  defineApi,
  nullable,
  premium,
  type RunContext,
} from "../contract.ts"
import { refuseFailure, requireName, withTimeLimit } from "../mail/look-up.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const dnsLimitMs = 15_000
/** Records of one answer; a message has room for thousands. */
const maxRecords = 500

/** The types that can be asked for, each with one question. */
export const lookupTypes = [
  ...(["A", "AAAA", "CAA", "CNAME", "DNAME", "DNSKEY", "DS", "HTTPS", "MX", "NAPTR"] as const),
  ...(["NS", "NSEC", "NSEC3PARAM", "PTR", "SOA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT"] as const),
] as const satisfies DnsType[]

export const dnslookup = defineApi({
  id: "dnslookup",
  title: "DNS lookup",
  category: "mail",
  keywords: [
    "dig",
    "nslookup",
    "resolver",
    "records",
    "MX",
    "TXT",
    "CNAME",
    "NS",
    "SOA",
    "SRV",
    "DNSSEC",
    "TTL",
  ],
  description:
    "Looks up the DNS records of a name: of one of 20 types, or of all. Tells how long each may be cached, and whether the DNS server has checked the answer by DNSSEC.",
  method: "GET",
  credits: 1,
  asksDns: true,
  input: Type.Object({
    name: field.text(
      "The name, such as example.com, _dmarc.example.com or *.example.com; `.` for the root. International names are converted to A-labels.",
      { minLength: 1 },
    ),
    type: Type.Optional(
      choice([...lookupTypes, "ALL"], {
        description: "The type of the records; `ALL` for all 20 types.",
        default: "A",
      }),
    ),
  }),
  output: Type.Object({
    name: field.text("The name in lower case and in ASCII (A-labels)."),
    is_in_dns: field.flag("False if the name, or the name that it is an alias of, does not exist."),
    is_authenticated: field.flag("Whether the DNS server says that it has checked the answers by DNSSEC."),
    records: field.rows("The records, by type; empty if there are none. At most 500 of one answer.", {
      name: field.text("The owner of the record: the given name, or a name that it is an alias of."),
      type: field.text("The type of the record. Aliases are records of type `CNAME`."),
      ttl: field.integer("How many seconds the record may be cached."),
      value: field.text(
        "The data in the form of a zone file (RFC 1035 §5.1), such as `10 mail.example.com.`.",
      ),
    }),
    unanswered: field.rows("With `ALL`, the types for which the DNS gave no answer.", {
      type: field.text("The type."),
      reason: field.text("Why, in one word, such as `timeout`."),
    }),
    signatures: premium(
      nullable(
        Type.Array(
          Type.Object({
            name: field.text("The name whose records are signed."),
            type: field.text("The type of the records that are signed."),
            algorithm: field.integer("The number of the algorithm (IANA)."),
            signer: field.text("The zone whose key signed them."),
            key_tag: field.integer("The number that the key is found by."),
            valid_from: field.text("Since when it is valid (RFC 3339)."),
            valid_until: field.text("Until when it is valid (RFC 3339)."),
          }),
        ),
        { description: "The signatures of DNSSEC (RRSIG), which are not checked here; null with `ALL`." },
      ),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run({ name: asked, type = "A" }, context) {
    const name = asked === "." ? "." : await requireName(asked)
    return withTimeLimit(context.ports.timer, dnsLimitMs, async (signal) =>
      type === "ALL" ? lookUpAll(name, context, signal) : lookUpOne(name, type, context, signal),
    )
  },
})

async function lookUpOne(
  name: string,
  type: DnsType,
  { ports: { dns }, premium }: RunContext,
  signal: AbortSignal,
) {
  const [reply, signed] = await Promise.all([
    dns.exchange(name, type, {}, signal),
    premium ? dns.exchange(name, type, { dnssec: true }, signal) : null,
  ])
  if (reply.kind === "failure") return refuseFailure(reply, name)
  if (signed?.kind === "failure") return refuseFailure(signed, name)
  return { ...merge(name, [reply]), unanswered: [], signatures: signed && signaturesOf(signed.answer) }
}

async function lookUpAll(name: string, { ports: { dns } }: RunContext, signal: AbortSignal) {
  const replies = await Promise.all(lookupTypes.map((type) => dns.exchange(name, type, {}, signal)))
  const answered = replies.filter((reply) => reply.kind === "reply")
  const [first] = replies
  if (answered.length === 0 && first?.kind === "failure") return refuseFailure(first, name)
  const unanswered = lookupTypes.flatMap((type, index) => {
    const reply = replies[index]
    return reply?.kind === "failure" ? [{ type, reason: reply.reason }] : []
  })
  return { ...merge(name, answered), unanswered, signatures: null }
}

/** The records of several replies. The same alias is in each of them. */
function merge(name: string, replies: readonly (DnsReply & { readonly kind: "reply" })[]) {
  const records = new Map<string, { name: string; type: string; ttl: number; value: string }>()
  for (const { owner, type, ttlSeconds: ttl, text } of replies.flatMap(({ answer }) =>
    answer.slice(0, maxRecords),
  )) {
    if (type === "RRSIG") continue
    const key = `${owner} ${type} ${text}`
    const known = records.get(key)
    records.set(key, { name: nameOf(owner), type, ttl: Math.min(ttl, known?.ttl ?? ttl), value: text })
  }
  return {
    name,
    is_in_dns: replies.every(({ rcode }) => rcode === "NOERROR"),
    is_authenticated: replies.every(({ authenticated }) => authenticated),
    records: [...records.values()],
  }
}

function signaturesOf(records: readonly DnsRecord[]) {
  return records.flatMap(({ owner, ...record }) => {
    if (record.type !== "RRSIG") return []
    const { typeCovered, algorithm, signer, keyTag, inception, expiration } = record.data
    return {
      name: nameOf(owner),
      type: typeCovered,
      ...{ algorithm, signer: nameOf(signer.toLowerCase()), key_tag: keyTag },
      valid_from: toIso(1_000 * inception),
      valid_until: toIso(1_000 * expiration),
    }
  })
}

function nameOf(owner: string): string {
  return owner === "" ? "." : owner
}
