/** The names are those of the test double's DNS and replies. */
const goodLogo = `<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 100 100">
  <title>Good Example</title>
  <rect width="100" height="100" fill="#1a6b3c"/>
  <circle cx="50" cy="50" r="30" fill="#ffffff"/>
</svg>
`
const typoLogo = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" width="100%">
  <script>alert(1)</script>
  <image xlink:href="https://elsewhere.example/logo.png"/>
</svg>
`

const dns = {
  "_dmarc.good.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@good.example" }],
  "default._bimi.good.example": [{ TXT: "v=BIMI1; l=https://good.example/bimi/logo.svg; a=" }],
  "_dmarc.typo.example": [{ TXT: "v=DMARC1; p=quarantaine; pct=50; rua=mailto:dmarc@reports.example" }],
  "default._bimi.typo.example": [
    { TXT: "v=BIMI1; l=https://typo.example/logo.svg; a=http://typo.example/mark.pem; avp=logo" },
  ],
} as const

const web = {
  "https://good.example/bimi/logo.svg": { type: "image/svg+xml", body: goodLogo },
  "https://typo.example/logo.svg": { type: "text/plain", body: typoLogo },
}

const given = { now: "2025-01-01T00:00:00Z", dns, web }

/** A domain without a fault, one with several, two logos that are not published, and a domain without a record. */
export const examples = [
  {
    name: "A record and a logo, without a mark certificate",
    input: {
      domain: "good.example",
    },
    output: {
      is_valid: true,
      problems: [
        {
          code: "no_mark_certificate" as const,
          severity: "warning" as const,
          message: "The record names no mark certificate (a).",
          where: "record, a",
        },
      ],
      domain: "good.example",
      record_name: "default._bimi.good.example",
      record: "v=BIMI1; l=https://good.example/bimi/logo.svg; a=",
      dmarc_policy: "reject" as const,
      is_declined: false,
      logo_url: "https://good.example/bimi/logo.svg",
      authority_url: null,
      is_svg_valid: true,
      svg_title: "Good Example",
      vmc: null,
      certificate_chain: [],
    },
    given,
  },
  {
    name: "Mistakes in the record and in the logo",
    input: {
      domain: "typo.example",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "tag_value" as const,
          severity: "error" as const,
          message: "The value of avp must be brand or personal, not 'logo'.",
          where: "record, avp",
        },
        {
          code: "authority" as const,
          severity: "error" as const,
          message: "'http://typo.example/mark.pem' is no https: URL with a host.",
          where: "record, a",
        },
        {
          code: "dmarc" as const,
          severity: "error" as const,
          message: "The DMARC policy must be quarantine or reject.",
          where: "_dmarc.typo.example",
        },
        {
          code: "document_type" as const,
          severity: "warning" as const,
          message: "The logo is not served as image/svg+xml.",
          where: "https://typo.example/logo.svg",
        },
        {
          code: "svg_value" as const,
          severity: "error" as const,
          message: "The attribute version of svg must be 1.2.",
          where: "line 1",
        },
        {
          code: "svg_root" as const,
          severity: "error" as const,
          message: 'The root must have baseProfile="tiny-ps".',
          where: "svg",
        },
        {
          code: "svg_relative_size" as const,
          severity: "warning" as const,
          message: "The width is a percentage; give pixels, or leave it out.",
          where: "svg",
        },
        {
          code: "svg_view_box" as const,
          severity: "warning" as const,
          message: "The viewBox must have four numbers, of which the last two are equal.",
          where: "svg",
        },
        {
          code: "svg_script" as const,
          severity: "error" as const,
          message: "The element script is not allowed.",
          where: "line 2",
        },
        {
          code: "svg_element" as const,
          severity: "error" as const,
          message: "The profile has no element image.",
          where: "line 3",
        },
        {
          code: "svg_reference" as const,
          severity: "error" as const,
          message: "The attribute xlink:href of image refers to something outside of the logo.",
          where: "line 3",
        },
        {
          code: "svg_title" as const,
          severity: "error" as const,
          message: "The logo has no title.",
          where: "svg",
        },
      ],
      domain: "typo.example",
      record_name: "default._bimi.typo.example",
      record: "v=BIMI1; l=https://typo.example/logo.svg; a=http://typo.example/mark.pem; avp=logo",
      dmarc_policy: "none" as const,
      is_declined: false,
      logo_url: "https://typo.example/logo.svg",
      authority_url: null,
      is_svg_valid: false,
      svg_title: null,
      vmc: null,
      certificate_chain: [],
    },
    given,
  },
  {
    name: "A logo before it is published",
    input: {
      svg: '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 96 96"><title>Example</title><path d="M0 0h96v96H0z"/></svg>',
    },
    output: {
      is_valid: true,
      problems: [],
      domain: null,
      record_name: null,
      record: null,
      is_declined: false,
      logo_url: null,
      authority_url: null,
      dmarc_policy: null,
      is_svg_valid: true,
      svg_title: "Example",
      vmc: null,
      certificate_chain: [],
    },
  },
  {
    name: "A logo with entities",
    input: {
      svg: '<!DOCTYPE svg [<!ENTITY a "&#x61;">]><svg xmlns="http://www.w3.org/2000/svg"><title>&a;</title></svg>',
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "svg_doctype" as const,
          severity: "error" as const,
          message: "The logo has a document type declaration.",
          where: "svg",
        },
      ],
      domain: null,
      record_name: null,
      record: null,
      is_declined: false,
      logo_url: null,
      authority_url: null,
      dmarc_policy: null,
      is_svg_valid: false,
      svg_title: null,
      vmc: null,
      certificate_chain: [],
    },
  },
  {
    name: "No record",
    input: {
      domain: "none.example",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "no_record" as const,
          severity: "error" as const,
          message: "default._bimi.none.example has no record.",
          where: "default._bimi.none.example",
        },
        {
          code: "dmarc" as const,
          severity: "error" as const,
          message: "The DMARC policy must be quarantine or reject.",
          where: "_dmarc.none.example",
        },
      ],
      domain: "none.example",
      record_name: "default._bimi.none.example",
      record: null,
      dmarc_policy: null,
      is_declined: false,
      logo_url: null,
      authority_url: null,
      is_svg_valid: null,
      svg_title: null,
      vmc: null,
      certificate_chain: [],
    },
    given,
  },
]
