/**
 * Every REST answer, in any format. `data` holds JSON values only, without cycles; keys are letters, digits and underscores.
 * A member that is undefined counts as absent.
 */
export interface Envelope {
  readonly status: "ok" | "error"
  readonly error: string | null
  readonly data: object | null
}
