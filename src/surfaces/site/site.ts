import type { Plan } from "../../accounts/plan.ts"
import type { Guests } from "../../call/guests.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"

/** The data that the pages for people are made from. */
export interface Site extends ApiDocInput {
  /** Whether `/portal` is served. */
  readonly portal: boolean
  /** Whether `/console` is served at the same address. */
  readonly console: boolean
  readonly offer: Offer
  /** The APIs that anyone may call without a key; null if there are none. */
  readonly guests: Pick<Guests, "apis" | "callsPerMinute"> | null
}

/** The operator's offer to strangers. Each part is null or empty where the operator says nothing of it. */
export interface Offer {
  /** The plans to show, see {@link offeredPlans}. */
  readonly plans: readonly Plan[]
  /** The address where strangers become customers. */
  readonly signUp: string | null
  /** The only plan of those who sign up there; null if that page offers all plans. */
  readonly signUpPlan: string | null
  /** A `mailto:` or web address. */
  readonly contact: string | null
  readonly terms: string | null
  readonly privacy: string | null
  readonly status: string | null
}

/** The paths of the files that the pages load. */
export interface SiteAssets {
  readonly style: string
  /** Null where the operator has chosen no colour. */
  readonly brandStyle: string | null
  readonly script: string
  /** The icon in a browser's tab. */
  readonly icon: string
  /** The sign before the name. */
  readonly logo: string
}

/** Writes a page. */
export type WritePage = (parts: PageParts) => string

/** The parts in which pages differ. */
export interface PageParts {
  /** The title of the window, before the service's name; null for the landing page. */
  readonly name: string | null
  readonly description: string
  readonly main: Html
}

/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value between the braces of a template: text is escaped, nothing is left out. */
type HtmlPart = Html | string | number | readonly HtmlPart[] | null | undefined | false

/**
 * Writes HTML in which every value is text, whatever it holds. A value within a tag has to stand in double quotes.
 * @example
 * const name = "<img src=x>"
 * html`<p title="${name}">${name}</p>`.text // <p title="&lt;img src=x&gt;">&lt;img src=x&gt;</p>
 */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(toText)))
}

function toText(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(toText).join("")
  return Bun.escapeHTML(String(part))
}

/** Text with code between backticks, as descriptions have it. */
export function withCode(text: string): Html {
  const pieces = text.split(/`([^`]*)`/)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
}

/** The first sentence of a description, for lists. A full stop within a word or a number ends none. */
export function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
}
