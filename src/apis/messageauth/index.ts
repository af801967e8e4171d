import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullableText, premium } from "../contract.ts"
import { dmarcPolicies } from "../mail/dmarc-walk.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList, results } from "./problems.ts"

export const messageauth = defineIsolatedApi({
  id: "messageauth",
  title: "Mail authentication",
  category: "mail",
  keywords: [
    ...["DKIM", "SPF", "DMARC", "ARC", "forged mail", "phishing", "spoofing", "signature", "email header"],
    ...["Authentication-Results", "RFC 6376", "RFC 7208", "RFC 8601", "RFC 8617", "RFC 9989"],
  ],
  description:
    "Checks whether a mail is from whom it says: SPF, DKIM, ARC and DMARC of a raw message, each with its result and reason, as an Authentication-Results field too (RFC 8601). With premium fields, also the ARC chain and the header as each signature covers it.",
  method: "POST",
  singleValues: ["ip", "helo", "sender", "received_at"],
  credits: 5,
  asksDns: true,
  input: Type.Object({
    message: field.text(
      "The message with its whole header, as it arrived, at most 1 MiB: as text, or in base64, which also keeps bytes that are not UTF-8.",
      { minLength: 1, maxLength: 1_400_000 },
    ),
    ip: field.optional.text(
      "The IPv4 or IPv6 address that delivered the message. Without it, SPF is not checked.",
      { minLength: 2, maxLength: 45 },
    ),
    helo: field.optional.text("The name that the sending server gave (HELO or EHLO).", {
      minLength: 1,
      maxLength: 255,
    }),
    sender: field.optional.text(
      "The address of MAIL FROM; empty for a message without one, such as a bounce. By default that of the topmost field Return-Path.",
      { maxLength: 320 },
    ),
    received_at: field.optional.text(
      "When the message arrived, for saved mail: signatures must not have expired then. By default now. Keys and records are those of now.",
      { maxLength: 40 },
    ),
  }),
  output: Type.Object({
    is_authentic: field.flag("Whether DMARC passes: DKIM or SPF confirms the domain of the author."),
    problems: problemList,
    author: nullableText("The address in the field From; null without one."),
    results: field.rows("SPF, unless it was not checked, each DKIM signature (at most 10), ARC and DMARC.", {
      method: choice(["spf", "dkim", "arc", "dmarc"], { description: "What was checked." }),
      result: choice(results, { description: "The result (RFC 8601 §2.7)." }),
      domain: nullableText(
        "The domain that was checked: of the sender, the signer, the last ARC seal or the author; null without one.",
      ),
      is_aligned: field.nullableFlag(
        "Whether it confirms the domain of the author, as DMARC wants; null unless it is SPF or DKIM and passed.",
      ),
      reason: nullableText("Why it has this result; null if nothing is to be said."),
    }),
    signatures: field.rows("The DKIM signatures, at most 10.", {
      domain: field.text("The domain that signed (`d=`)."),
      selector: field.text("The name of its key (`s=`)."),
      algorithm: field.text("The algorithm, such as `rsa-sha256`."),
      canonicalization: field.text("Which changes header and body may undergo on their way."),
      result: choice(results, { description: "The result." }),
      signed_headers: field.texts("The fields that it covers, in its order, at most 100."),
      unsigned_body_bytes: field.integer("How many bytes at the end of the body it does not cover (`l=`).", {
        minimum: 0,
      }),
      signed_at: nullableText("When it was made, as it says; null if it does not say."),
      valid_until: nullableText("Until when it is valid; null if it does not say."),
      key_bits: field.nullableInteger("The length of an RSA key; null for others, or without a key."),
    }),
    dmarc: field.nullableGroup("The DMARC policy that applies; null without one.", {
      policy: choice(dmarcPolicies, { description: "What receivers are asked to do if it fails." }),
      record_domain: field.text("The domain whose record applies."),
      organizational_domain: field.text("The domain that others must belong to, to be aligned."),
      is_testing: field.flag("Whether the record asks for the next weaker policy (`t=y`)."),
    }),
    spf_explanation: nullableText(
      "What the domain of the sender says about a fail of SPF; null without a text.",
    ),
    authentication_results: field.text(
      "The value of an Authentication-Results field with these results (RFC 8601). It begins with the name of the service: its host, where the operator has set one.",
    ),
    arc_chain: premium(
      field.rows("The sets of the ARC chain, the first one first; empty without a readable chain.", {
        instance: field.integer("Its number, from 1 on."),
        domain: nullableText("The domain that sealed (`d=`)."),
        selector: nullableText("The name of its key (`s=`)."),
        chain_result: nullableText("What it says of the chain before it (`cv=`)."),
        authentication_results: field.text("The results that it recorded, at most 2,000 characters."),
      }),
    ),
    canonical_headers: premium(
      field.rows("The header as each signature covers it (RFC 6376 §3.4).", {
        domain: field.text("The domain that signed."),
        selector: field.text("The name of its key."),
        header: field.text("The fields as they were hashed, at most 20,000 characters."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  isolated: {
    limitMs: 2_000,
    maxSmallSize: 4_000,
    // Each key may be a record of 64 kB, or have 16,384 bits. Fields cannot be counted in base64, which has no colons.
    isBounded: ({ message }) => String(message).includes(":") && countSignatures(String(message)) <= 4,
  },
})

/** How many fields with signatures a message has, of DKIM and ARC. */
function countSignatures(message: string): number {
  return message.split(/^(?:DKIM-Signature|ARC-Message-Signature|ARC-Seal)/im).length - 1
}
