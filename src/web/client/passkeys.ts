import { Problem, postJson } from "./request.ts"
import { signIn } from "./session.ts"

/**
 * Signs in with a passkey that the user chooses.
 * @throws Problem, Unreachable
 */
export async function signInWithPasskey(): Promise<void> {
  const options = await challenge<PublicKeyCredentialRequestOptionsJSON>("sign_in")
  requirePasskeys()
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  await signIn({ passkey: await chosen(() => navigator.credentials.get({ publicKey })) })
}

/**
 * Makes a passkey on a device that the user chooses, and adds it.
 * @throws Problem, Unreachable
 */
export async function addPasskey(name: string): Promise<void> {
  const options = await challenge<PublicKeyCredentialCreationOptionsJSON>("add")
  requirePasskeys()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const passkey = await chosen(() => navigator.credentials.create({ publicKey }))
  await postJson("/console/session/passkeys", { name, passkey })
}

/** The service says first where passkeys cannot work, with what to do; browsers only lack them there. */
function challenge<Options>(purpose: "sign_in" | "add"): Promise<Options> {
  return postJson("/console/session/challenge", { for: purpose })
}

function requirePasskeys(): void {
  if ("PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential) return
  throw new Problem(400, { detail: "This browser has no passkeys. Use a newer one, or sign in by a link." })
}

/** The JSON form of what the user's device has made or signed. */
async function chosen(choose: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await choose()
    if (credential instanceof PublicKeyCredential) return credential.toJSON()
  } catch (thrown) {
    if (!(thrown instanceof DOMException)) throw thrown
    if (thrown.name === "InvalidStateError")
      throw new Problem(400, { detail: "This device has a passkey of yours already." })
    if (thrown.name === "SecurityError")
      throw new Problem(400, { detail: "The browser allows no passkeys at this address." })
  }
  throw new Problem(400, { detail: "No passkey was chosen. Try again." })
}
