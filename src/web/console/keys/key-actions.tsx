import { bulkAction } from "../../kit/bulk-dialog.tsx"
import type { ListedKey } from "./key-columns.tsx"

/** Changes to several keys at once. */
export function keyActions() {
  return [
    bulkAction<ListedKey, "keys.enable">({
      operation: "keys.enable",
      label: "Enable",
      done: (keys) => `${keys} enabled.`,
      about: "Calls with them are answered again.",
      skip: ({ revoked, disabled }) =>
        revoked !== null ? "revoked" : disabled === null ? "not disabled" : null,
    }),
    bulkAction<ListedKey, "keys.disable">({
      operation: "keys.disable",
      label: "Disable",
      done: (keys) => `${keys} disabled.`,
      about: "Calls with them are refused until they are enabled again.",
      danger: true,
      skip: ({ revoked, disabled }) =>
        revoked !== null ? "revoked" : disabled === null ? null : "disabled already",
    }),
    bulkAction<ListedKey, "keys.revoke">({
      operation: "keys.revoke",
      label: "Revoke",
      done: (keys) => `${keys} revoked.`,
      about:
        "Calls with them are refused from now on. This cannot be undone. To stop them for a while, disable them instead.",
      danger: true,
      skip: ({ revoked }) => (revoked === null ? null : "revoked already"),
    }),
  ]
}
