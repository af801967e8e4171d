import type { Key } from "../client/types.ts"

/** What a window about one key is given. */
export interface KeyWindowProps {
  readonly value: Key
  /** Called when nothing was changed. */
  close(): void
  /** Called when it was. */
  done(): void
}
