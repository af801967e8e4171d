/** How the operator's service presents itself. */
export interface Brand {
  /** Its name. */
  readonly title: string
  /** Such as `#0b6b5d`; null for the colour of the style sheet. */
  readonly color: string | null
}
