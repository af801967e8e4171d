/** Lists of mailboxes made by the grammar of RFC 5322 §3.2 to §3.4 and RFC 6854, with the addresses that they have. */
import fc from "fast-check"

export interface MailboxList {
  readonly text: string
  readonly addresses: readonly string[]
}

const textOf = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { maxLength }).map((all) => all.join(""))
const blank = fc.constantFrom(" ", "\t", "\r\n ", "  ")
/** Texts that an attacker would put in the place of an address. */
const decoy = fc.constantFrom("<m@evil.example>", "m@evil.example", "a,b", ";:", "@", "<", ">", "é", "x")
const quotedPair = fc.constantFrom("\\(", "\\)", '\\"', "\\\\", "\\a")
const { comment } = fc.letrec<{ comment: string; part: string }>((tie) => ({
  comment: textOf(tie("part"), 4).map((text) => `(${text})`),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    decoy,
    blank,
    quotedPair,
    fc.constant('"'),
    tie("comment"),
  ),
}))
/** Comments and blanks. */
const cfws = textOf(fc.oneof({ weight: 2, arbitrary: blank }, comment), 3)
const atom = fc.constantFrom("Ann", "x", "a-b", "{c}", "o'neil", "=?utf-8?q?a?=", "Zoë", "7")
const dotAtom = fc
  .array(fc.constantFrom("ann", "x", "a+b", "o'neil", "9"), { minLength: 1, maxLength: 3 })
  .map((all) => all.join("."))
const quoted = textOf(fc.oneof(decoy, fc.constantFrom(" ", "(", ")", "((", "[", "."), quotedPair), 4).map(
  (text) => `"${text}"`,
)
const phrase = fc
  .tuple(
    fc.oneof(atom, quoted),
    fc.array(fc.tuple(fc.oneof(blank, comment), fc.oneof(atom, quoted)), { maxLength: 2 }),
  )
  .map(([first, rest]) => first + rest.flat().join(""))
const domain = fc.constantFrom(
  "good.example",
  "Mail.good.example",
  "xn--bcher-kva.example",
  "[192.0.2.1]",
  "[IPv6:2001:db8::1]",
)

/** A local part as it may be written, and as the address has it: quoted only where it must be. */
const local = fc.oneof(
  dotAtom.map((text) => ({ written: text, text })),
  quoted.map((written) => {
    const content = written.slice(1, -1).replace(/\\(.)/g, "$1")
    const isPlain = /^[\wé]+(?:\.[\wé]+)*$/.test(content)
    return { written, text: isPlain ? content : `"${content.replace(/["\\]/g, "\\$&")}"` }
  }),
)
const addrSpec = fc
  .tuple(cfws, local, cfws, cfws, domain, cfws)
  .map(([a, { written, text }, b, c, name, d]) => ({
    text: `${a}${written}${b}@${c}${name}${d}`,
    addresses: [`${text}@${name}`],
  }))
const route = fc.constantFrom("", "", "@evil.example:", "@evil.example,@relay.example:")
const angle = fc
  .tuple(fc.option(phrase, { nil: "" }), cfws, route, addrSpec, cfws)
  .map(([name, a, via, { text, addresses }, b]) => ({ text: `${name}${a}<${via}${text}>${b}`, addresses }))
const mailbox = fc.oneof(addrSpec, angle)
const joined = (parts: readonly MailboxList[]): MailboxList => ({
  text: parts.map(({ text }) => text).join(","),
  addresses: parts.flatMap(({ addresses }) => addresses),
})
const group = fc
  .tuple(phrase, cfws, fc.array(mailbox, { maxLength: 2 }), cfws)
  .map(([name, a, members, b]) => {
    const { text, addresses } = joined(members)
    return { text: `${name}${a}:${text};${b}`, addresses }
  })

export const mailboxLists: fc.Arbitrary<MailboxList> = fc
  .array(fc.oneof({ weight: 4, arbitrary: mailbox }, group), { minLength: 1, maxLength: 3 })
  .map(joined)
