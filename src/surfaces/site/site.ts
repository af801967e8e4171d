import type { Plan } from "../../accounts/plan.ts"
import type { Guests } from "../../call/guests.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { Html } from "./html.ts"

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
