/** Chromium's virtual authenticator (WebAuthn section 11). */
import type { Page } from "playwright-core"

/** A device that asks for a fingerprint, which is always right. */
export async function addDevice(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send("WebAuthn.enable")
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async count() {
      const { credentials } = await client.send("WebAuthn.getCredentials", { authenticatorId })
      return credentials.length
    },
    /** A page has at most one such device. */
    remove: () => client.detach(),
  }
}
