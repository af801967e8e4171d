/** The sender of the mails, and their look. */
export interface MailBrand {
  /** The name of the service. */
  readonly title: string
  /** The colour of buttons and of text on them, `#rrggbb`. */
  readonly accent: string
  readonly onAccent: string
  /** A PNG picture that goes with each mail; null for none. */
  readonly logo: Uint8Array | null
  /** Where customers sign in; null without a portal. */
  readonly portal: string | null
  /** The sender's address. */
  readonly from: string
}

/** The contents of a mail, from which both its plain text and its HTML are made. */
export interface MailText {
  readonly subject: string
  /** The address that ends mails of this kind; null if its reader asked for this one. */
  readonly unsubscribe: string | null
  readonly parts: readonly MailPart[]
}

/** A paragraph, a button with its address, or a table of names and values. */
export type MailPart =
  | string
  | { readonly label: string; readonly link: string }
  | { readonly rows: readonly (readonly [name: string, value: string])[] }

/** The plain text of a mail. */
export function toText({ parts, unsubscribe }: MailText, { title }: MailBrand): string {
  const texts = parts.map((part) => {
    if (typeof part === "string") return part
    if ("link" in part) return `${part.label}:\n${part.link}`
    return part.rows.map(([name, value]) => `${name}: ${value}`).join("\n")
  })
  const end = unsubscribe === null ? "" : `\nStop notices by mail: ${unsubscribe}`
  return `${[...texts, `-- \n${title}${end}`].join("\n\n")}\n`
}

/** The same as HTML. Mail programs read styles of elements only, and no picture is loaded from elsewhere. */
export function toHtml(
  { subject, parts, unsubscribe }: MailText,
  { title, accent, onAccent, logo }: MailBrand,
): string {
  const blocks = parts.map((part) => {
    if (typeof part === "string") return `<p style="margin:0 0 16px">${escaped(part)}</p>`
    if ("link" in part) {
      const style = `display:inline-block;padding:10px 18px;border-radius:6px;background:${accent};color:${onAccent};text-decoration:none`
      return `<p style="margin:0 0 16px"><a href="${escaped(part.link)}" style="${style}">${escaped(part.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5b6169">Or open this address: ${escaped(part.link)}</p>`
    }
    const rows = part.rows.map(
      ([name, value]) =>
        `<tr><th align="left" style="padding:2px 16px 2px 0;font-weight:normal;color:#5b6169">${escaped(name)}</th><td style="padding:2px 0">${escaped(value)}</td></tr>`,
    )
    return `<table role="presentation" style="margin:0 0 16px;border-collapse:collapse">${rows.join("")}</table>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1a1d21;font:16px/1.5 system-ui,sans-serif">
<p style="margin:0 0 24px;font-weight:600;color:${accent}">${logo === null ? "" : picture}${escaped(title)}</p>
${blocks.join("\n")}${unsubscribe === null ? "" : footer(unsubscribe)}
</body></html>
`
}

/** The Content-ID of the logo (RFC 2392). */
export const logoId = "logo@mail"
const picture = `<img src="cid:${logoId}" alt="" height="28" style="vertical-align:middle;margin-right:10px">`

function footer(unsubscribe: string): string {
  return `
<p style="margin:24px 0 0;font-size:13px;color:#5b6169"><a href="${escaped(unsubscribe)}" style="color:#5b6169">Stop notices by mail</a></p>`
}

/** Escapes a text, so that none of it becomes markup, also in an attribute. */
function escaped(text: string): string {
  return Bun.escapeHTML(text)
}
