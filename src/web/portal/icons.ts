import { shapes } from "../kit/icon.tsx"

/** The icons of the screens of the portal, by name. */
export const icons = {
  ...shapes,
  usage: "M4 20V4M4 20h16M8 16v-4M12.5 16V8M17 16v-6",
  webhook:
    "M9 8.5a3.5 3.5 0 1 1 5.5 2.8L17 16M12 8l-3.5 7.5M6.5 13.2A3.5 3.5 0 1 0 10 17.5h6m0 0a3 3 0 1 0 3-4.2",
} as const
