import type { Key } from "../client/types.ts"

/** What a window about one key is given. */
export interface KeyWindowProps {
  readonly value: Key
  /** Called when nothing was changed. */
  close(): void
  /** Called when it was. */
  done(): void
}

/** What a window is given that changes a key, and tells what it is then. */
export interface ChangeKeyProps extends Omit<KeyWindowProps, "done"> {
  done(key: Key): void
}
