import { readFileSync } from "node:fs"
import type { PageAddresses } from "../admin/parts.ts"
import { readBrand } from "../config/brand.ts"
import type { Config } from "../config/load.ts"
import { toMailServer } from "../config/readers.ts"
import { ConfigError, settingOfFile } from "../config/setting-name.ts"
import type { MailBrand } from "../mail/layout.ts"
import type { MailServer } from "../ports/mail-sender.ts"
import { toBrandColors } from "../surfaces/site/brand-look.ts"
import { messageOf } from "../values/message-of.ts"

/** The colours of buttons when the operator has chosen none. */
const ownColor = "#0b6b5d"
/** The sender of mails that are shown and never sent. */
const noSender = "no-reply@localhost"

/**
 * The mail server of the settings with its password; null without one.
 * @throws ConfigError for a password file that cannot be read
 */
export function mailServerOf(config: Config): MailServer | null {
  const { smtp, smtpPassword, smtpPasswordFile } = config
  if (smtp === null) return null
  const server = toMailServer(smtp)
  if (smtpPasswordFile === null) return { ...server, password: smtpPassword }
  const place = settingOfFile(config, "smtpPasswordFile", smtpPasswordFile)
  return { ...server, password: readPassword(smtpPasswordFile, place) }
}

function readPassword(file: string, place: string): string {
  try {
    // Editors end a file with a line break, which no password has.
    return readFileSync(file, "utf8").replace(/\r?\n$/, "")
  } catch (cause) {
    throw new ConfigError(`${place}: ${messageOf(cause)}.`)
  }
}

/** A larger logo is left out: it is in each mail. */
const maxLogoBytes = 65_536

/** How mails look under a configuration. Mail programs show no SVG, so only a PNG goes with them. */
export function mailBrandOf(config: Config, pages: Pick<PageAddresses, "portal">): MailBrand {
  const { title, brandColor, mailFrom } = config
  const { accent, onAccent } = toBrandColors(brandColor ?? ownColor).light
  const portal = config.noPortal ? null : `${pages.portal()}/portal`
  return { title, portal, accent, onAccent, from: mailFrom ?? noSender, logo: logoOf(config) }
}

/** The logos of configurations: a file is read once, as for the pages. */
const logos = new WeakMap<Config, Uint8Array | null>()

function logoOf(config: Config): Uint8Array | null {
  return logos.getOrInsertComputed(config, () => {
    const { logo } = readBrand(config)
    return logo?.type === "image/png" && logo.bytes.length <= maxLogoBytes ? logo.bytes : null
  })
}
