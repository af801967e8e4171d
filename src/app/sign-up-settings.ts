import type { SignUpSettings } from "../admin/sign-up/settings.ts"
import { builtInDisposable, isDisposable } from "../apis/emailvalidator/disposable.ts"
import type { Config } from "../config/load.ts"
import { readDataLists } from "./data-lists.ts"

/** The lists of disposable domains, by the configuration that names them. They are read with the first sign-up that needs one. */
const lists = new WeakMap<Config, Promise<typeof builtInDisposable>>()

/** How customers get an account under a configuration. */
export function signUpSettings(
  config: Config,
  { isMock = false }: { readonly isMock?: boolean } = {},
): SignUpSettings {
  const { signUpMode, signUpPlan, signUpTerms, signUpBlockDisposable, signUpBlockDomain } = config
  return {
    mode: signUpMode,
    plan: signUpPlan,
    terms: signUpTerms,
    url: config.signUpUrl,
    contact: config.contact,
    hasMail: isMock || config.smtp !== null,
    isUnlimited: isMock,
    async isBlocked(domain) {
      if (signUpBlockDomain.some((blocked) => domain === blocked || domain.endsWith(`.${blocked}`)))
        return true
      if (!signUpBlockDisposable) return false
      const list = lists.get(config) ?? readList(config)
      lists.set(config, list)
      return isDisposable(domain, await list)
    },
  }
}

async function readList({ data }: Config): Promise<typeof builtInDisposable> {
  if (data === null) return builtInDisposable
  return (await readDataLists(data)).data["disposable-domains"] ?? builtInDisposable
}
