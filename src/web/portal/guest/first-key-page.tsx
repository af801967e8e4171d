import { serviceName } from "../../client/area.ts"
import { session } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { Secret } from "../../kit/secret.tsx"
import { Ready } from "../../kit/states.tsx"
import { toCommand } from "../../playground/call.ts"
import { firstApi } from "../../playground/offered-api.ts"
import { useCatalog } from "../playground-catalog.ts"
import { GuestCard } from "./guest-card.tsx"
import { firstKey } from "./mail-link.ts"

/** Shows the first key of a new account, once, with a call that works. */
export function FirstKeyPage({ apiKey }: { readonly apiKey: string }) {
  const catalog = useCatalog()
  return (
    <GuestCard title={`Welcome to ${serviceName}`}>
      <p>
        Your account is on the plan <strong>{session.value?.account?.plan}</strong>.
      </p>
      <p>This is your API key. Copy it now: it is shown once and cannot be read again.</p>
      <Secret label="Key" text={apiKey} />
      <p>Your first call, in a terminal:</p>
      <Ready reading={catalog} what="the APIs">
        {(apis) => {
          const api = firstApi(apis)
          return api && <Secret label="First call" text={toCommand(api, apiKey)} />
        }}
      </Ready>
      <Button kind="primary" onClick={goOn}>
        I have copied the key
      </Button>
    </GuestCard>
  )
}

function goOn(): void {
  firstKey.value = null
}
