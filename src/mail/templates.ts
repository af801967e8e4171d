import type { MailRecord } from "../store/mails.ts"
import { creditsExhausted, thresholdReached } from "../store/outbox.ts"
import { isObject } from "../values/is-object.ts"
import type { MailBrand, MailPart, MailText } from "./layout.ts"

/** The text of a mail. Its data are `{link}` with its token for a template with a link, and the notice's fields for a notice. */
export function textOf(mail: MailRecord, { title, portal }: Pick<MailBrand, "title" | "portal">) {
  const data = readData(mail)
  switch (mail.template) {
    case "sign-in":
      return {
        subject: `Sign in to ${title}`,
        parts: [
          `Someone asked to sign in to ${title} with this address.`,
          { label: "Sign in", link: text(data, "link") },
          ...usage(mail),
          "If it was not you, ignore this mail: nobody can sign in without the link.",
        ],
      }
    case "confirmation":
      return {
        subject: `Confirm your address for ${title}`,
        parts: [
          `Someone asked for an account at ${title}${onPlan(data)} with this address.`,
          { label: "Confirm the address", link: text(data, "link") },
          ...usage(mail),
          "If it was not you, ignore this mail: no account is created without the link.",
        ],
      }
    case "invitation":
      return {
        subject: `You are invited to ${title}`,
        parts: [
          `You are invited to open an account at ${title}${onPlan(data)}.`,
          { label: "Accept the invitation", link: text(data, "link") },
          validity(mail),
        ],
      }
    case "address-changed":
      return {
        subject: `${title}: another e-mail address`,
        parts: [
          `The operator of ${title} has changed or removed the e-mail address of the account “${mail.accountName ?? mail.accountId}”.`,
          "It was this address. Links to sign in and notices come here no longer.",
          "If you did not ask for it, tell the operator.",
        ],
      }
    case "notice":
      return withPortal(noticeText(data, mail, title), portal, title)
  }
}

/** Visitors' links work only in the browser that asked, which is easily missed when the mail is read on another device. */
function usage(mail: MailRecord): readonly string[] {
  return [validity(mail), "Open it in the browser where you asked for it."]
}

/** The plan of the account to make. Mails of earlier versions do not name it. */
function onPlan({ plan }: Readonly<Record<string, unknown>>): string {
  return typeof plan === "string" ? ` on the plan “${plan}”` : ""
}

/** A notice says in its subject who sends it, and leads to where something can be done about it. */
function withPortal(
  { subject, parts }: Pick<MailText, "subject" | "parts">,
  portal: string | null,
  title: string,
): Pick<MailText, "subject" | "parts"> {
  const link = portal === null ? [] : [{ label: "Open the portal", link: portal }]
  return { subject: `${title}: ${subject}`, parts: [...parts, ...link] }
}

/** How long a link is valid, counted from when it was made. */
function validity({ raisedMs, expiresMs }: MailRecord): string {
  if (expiresMs === null) return "You can use the link once."
  const minutes = Math.max(1, Math.round((expiresMs - raisedMs) / 60_000))
  const days = Math.round(minutes / 1_440)
  const time = minutes >= 2_880 ? `${days} days` : minutes >= 120 ? `${Math.round(minutes / 60)} hours` : null
  return `You can use the link once, within ${time ?? `${minutes} ${minutes === 1 ? "minute" : "minutes"}`}.`
}

const untilMore = "until the next credit month begins or credits are added"

/** The text for a notice, from the fields of its row, and the present name and bonus of the account. */
function noticeText(
  data: Readonly<Record<string, unknown>>,
  { accountName, accountBonus }: MailRecord,
  title: string,
): Pick<MailText, "subject" | "parts"> {
  const type = text(data, "type")
  const event = typeof data.data === "string" ? toObject(data.data) : {}
  const bonus = accountBonus ?? 0
  const used = (): MailPart => {
    const left = Math.max(0, Number(data.allowance) - Number(data.used))
    return {
      rows: [
        ["Account", accountName ?? text(data, "account")],
        ["Plan", text(data, "plan")],
        ["Credits used", `${count(data.used)} of ${count(data.allowance)} of the month`],
        ["Left of the month", count(left)],
        ["Bonus credits left", count(bonus)],
        ["Left in all", count(left + bonus)],
      ],
    }
  }
  const key = (): MailPart => ({
    rows: Object.entries({
      Account: accountName ?? event.account,
      Key: event.key,
      Name: event.name,
      Expires: event.expires,
    })
      .filter(([, value]) => typeof value === "string" && value !== "")
      .map(([name, value]) => [name, String(value)] as const),
  })
  switch (type) {
    case thresholdReached:
      return {
        subject: `${count(data.threshold)} % of the month's credits are used`,
        parts: [
          `Your account at ${title} has used ${count(data.threshold)} % of this month's credits.`,
          used(),
          bonus > 0
            ? `At 100 % the bonus credits pay for calls. When they are used up too, calls are refused ${untilMore}.`
            : `At 100 % calls are refused ${untilMore}.`,
        ],
      }
    case creditsExhausted:
      return {
        subject: "All credits are used",
        parts: [
          `Your account at ${title} has no credits left. Calls are refused until it has credits again.`,
          used(),
        ],
      }
    case "key.expiring":
      return {
        subject: `A key expires within ${count(event.within_days)} ${event.within_days === 1 ? "day" : "days"}`,
        parts: [`A key of your account at ${title} expires soon. Rotate it, or create another one.`, key()],
      }
    case "key.created":
    case "key.revoked": {
      const done = type.slice("key.".length)
      return {
        subject: `A key was ${done}`,
        parts: [`A key of your account at ${title} was ${done}.`, key()],
      }
    }
    default:
      return {
        subject: `Event ${type}`,
        parts: [
          `There was an event in your account at ${title}: ${type}.`,
          { rows: Object.entries(event).map(([name, value]) => [name, show(value)] as const) },
        ],
      }
  }
}

function readData({ data }: MailRecord): Readonly<Record<string, unknown>> {
  if (data === null) throw new Error("its data were erased")
  return toObject(data)
}

function toObject(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  if (isObject(value)) return value
  throw new Error("its data are not an object")
}

function text(data: Readonly<Record<string, unknown>>, name: string): string {
  const value = data[name]
  if (typeof value === "string") return value
  throw new Error(`its data have no ${name}`)
}

/** A number as people write it. */
function count(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : "unlimited"
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
