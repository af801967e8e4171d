/** What someone watches. End it when nobody reads it any longer. */
export interface Subscription<Event = unknown> {
  /** Gives the events since the last call, and how many more there were that had no room. */
  take(): { readonly events: readonly Event[]; readonly lost: number }
  /** Whether nothing more will come, since the service closes. */
  readonly isOver: boolean
  end(): void
}
