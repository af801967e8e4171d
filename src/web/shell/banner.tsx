import { isReachable } from "../client/connection.ts"

/** Says that the service is gone for as long as it is. */
export function ConnectionBanner() {
  return (
    <div role="status" class={isReachable.value ? "banner" : "banner shown"}>
      {!isReachable.value && (
        <p>
          <strong>The service cannot be reached.</strong> It is tried again by itself. What you see may be
          old; nothing that you typed is lost.
        </p>
      )}
    </div>
  )
}
