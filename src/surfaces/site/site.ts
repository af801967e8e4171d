import type { ApiDocInput } from "../openapi/json-object.ts"
import type { Html } from "./html.ts"

/** The data that the pages for people are made from. */
export interface Site extends ApiDocInput {
  /** The name that they show. */
  readonly title: string
  /** Whether `/portal` is served. */
  readonly portal: boolean
  /** Whether `/console` is served at the same address. */
  readonly console: boolean
}

/** The paths of the files that the pages load. */
export interface SiteAssets {
  readonly style: string
  /** Null where the operator has chosen no colour. */
  readonly brandStyle: string | null
  readonly script: string
  readonly icon: string
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
