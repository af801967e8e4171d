/** The portal, for customers. A screen is one line here; docs/web.md says how to make one. */

import { startApp } from "../shell/app.tsx"
import type { Screen } from "../shell/screen.ts"

const screens: readonly Screen[] = []

startApp(screens)
