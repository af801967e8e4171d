/** Starts Swagger UI, which shows the OpenAPI document and sends calls. */
import { keepKey, keptKey } from "../client/kept-key.ts"
import { helpKeyboards, plainPaths } from "./accessible.ts"
import { lightResponses } from "./light-responses.ts"

const place = document.querySelector("#viewer")
if (place) helpKeyboards(place)
followTheme()
const viewer = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [lightResponses, plainPaths, keepingKey],
  layout: "BaseLayout",
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  // Nothing of the address may choose the document or its settings.
  queryConfigEnabled: false,
  requestSnippetsEnabled: true,
  showExtensions: false,
  tryItOutEnabled: true,
  // The badge would call a validator elsewhere.
  validatorUrl: null,
  onComplete() {
    const key = keptKey()
    if (key !== null) viewer.preauthorizeApiKey("apiKey", key)
  },
})

/** Keeps the key for this tab when it is typed, and forgets it with the sign-out. */
function keepingKey(): SwaggerPlugin {
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (original) => (payload) => {
            const [entered] = Object.values(payload as Record<string, { readonly value?: unknown }>)
            if (typeof entered?.value === "string") keepKey(entered.value)
            return original(payload)
          },
          logout: (original) => (payload) => {
            keepKey(null)
            return original(payload)
          },
        },
      },
    },
  }
}

/** The style sheet of Swagger UI knows a class and not what the browser prefers. */
function followTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
  dark.addEventListener("change", follow)
  follow()
}
