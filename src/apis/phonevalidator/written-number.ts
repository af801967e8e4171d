/** The digit of each letter from A to Z on the keys of a telephone (ITU-T E.161). */
const keys = "22233344455566677778889999"

/**
 * Writes a number as libphonenumber reads it: with characters of ASCII for full-width ones, without invisible characters, such as
 * the direction marks around a number copied from an address book, and without the form of a `tel:` address (RFC 3966).
 */
export function toPlainNumber(written: string): string {
  const text = written
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
  const [, subscriber = "", rest = ""] = /^tel:(?:\/\/)?([^;]*)(.*)$/is.exec(text) ?? []
  if (subscriber === "") return text
  const parameters = new Map(
    rest.split(";").map((part) => {
      const [name = "", value = ""] = part.split("=")
      return [name.toLowerCase(), value]
    }),
  )
  // The context of a number of less than the world is the beginning of a global one, or a domain, which says nothing (§5.1.5).
  const context = parameters.get("phone-context") ?? ""
  const number = decode(
    context.startsWith("+") && !subscriber.startsWith("+") ? context + subscriber : subscriber,
  )
  const extension = parameters.get("ext")?.replace(/\D/g, "")
  return extension ? `${number};ext=${extension}` : number
}

function decode(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_escape, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/**
 * A number with digits for its letters, such as `1-800-3569377` for `1-800-FLOWERS`. As for libphonenumber, at least three digits
 * come before at least three letters. Null for other text.
 */
export function withoutLetters(text: string): string | null {
  const [number = "", extension = ""] = text.split(/(?<=[\s\d;,])(?=(?:ext|x|#)[a-z.]*[\s=]*\d{1,7}$)/i, 2)
  const [, digits = "", letters = ""] = /^([+\d\s()./-]*)([a-z][a-z\d\s()./-]*)$/i.exec(number) ?? []
  if (digits.replace(/\D/g, "").length < 3 || letters.replace(/[^a-z]/gi, "").length < 3) return null
  const toKey = (letter: string) => keys[letter.toUpperCase().charCodeAt(0) - 65] ?? ""
  return digits + letters.replace(/[a-z]/gi, toKey) + extension
}
