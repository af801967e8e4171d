import type { ComponentType } from "preact"
import type { OperationId } from "../client/operations.ts"
import type { IconName } from "../kit/icon.tsx"

/** One screen of the console or the portal. */
export interface Screen {
  /** Below `/console` or `/portal`: `/` for the first screen, `/accounts` for another. */
  readonly path: string
  /** In the navigation, and the heading of the screen. */
  readonly title: string
  readonly icon: IconName
  /** It is shown to those who may run this operation; null shows it to everyone. */
  readonly operation: OperationId | null
  readonly component: ComponentType
  /** What is shown below its path, such as `/accounts/acc_1`; gets the rest of the path as `id`. */
  readonly detail?: ComponentType<{ readonly id: string }>
}
