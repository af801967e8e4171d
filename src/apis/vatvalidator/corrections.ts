/** The result of a number's rules: `component` for a part with a value that the country does not use. */
type Verdict = "valid" | "format" | "check_digits" | "component"

/**
 * Corrects stdnum 1.12.0 by the VAT Number Construction Rules of the European Commission (VIES, version 15), and by the sources
 * that a comment names. Takes a number without its country code; returns null where stdnum is right.
 */
export function judgeByRules(country: string, number: string): Verdict | null {
  if (country === "SK" && /^\d{10}$/.test(number)) return judgeSlovak(number)
  // So also stdnum for Python (stdnum/cy/vat.py) and jsvat (cyprus.ts).
  if (country === "CY" && /^12\d{6}[A-Z]$/.test(number)) return "component"
  // Enterprise numbers begin with 0 or 1: the Belgian Crossroads Bank for Enterprises, and stdnum for Python (stdnum/be/vat.py).
  if (country === "BE" && /^[2-9]\d{9}$/.test(number)) return "component"
  // So also stdnum for Python (stdnum/de/vat.py, dk/cvr.py and mt/vat.py).
  if (/^(?:DE0\d{8}|(?:DK|MT)0\d{7})$/.test(country + number)) return "format"
  // Between the first and the last character are digits; stdnum takes letters in numbers that begin with K, L or M.
  if (country === "ES" && number.length === 9 && !/^.\d{7}.$/.test(number)) return "format"
  // Government departments (GD) have 000 to 499, health authorities (HA) 500 to 999 (stdnum/gb/vat.py); stdnum takes any letters.
  if (country === "GB" && /^.{5}$/.test(number))
    return /^(?:GD[0-4]|HA[5-9])\d\d$/.test(number) ? "valid" : "format"
  // The branches of a Dutch company count from 01: stdnum for Python (stdnum/nl/btw.py).
  if (country === "NL" && number.endsWith("B00")) return "component"
  const isRight = hasRightDigits(country, number)
  return isRight === null ? null : isRight ? "valid" : "check_digits"
}

function hasRightDigits(country: string, number: string): boolean | null {
  if (country === "BG" && /^\d{9}$/.test(number)) return isBulgarianCompany(number)
  if (country === "BG" && /^\d{10}$/.test(number))
    return isBulgarianPerson(number) || isBulgarianForeigner(number) || isBulgarianOther(number)
  if (country === "CZ" && /^6\d{8}$/.test(number)) return isCzechSpecial(number)
  if (country === "LV" && /^3[2-9]\d{9}$/.test(number)) return isLatvianPerson(number)
  if (country === "SI" && /^\d{8}$/.test(number)) return isSlovenian(number)
  return null
}

/** The sum of the first digits, each times its weight. */
function weighted(number: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(number[index]), 0)
}

/** BULSTAT: weights 1 to 8, or 3 to 10 if the remainder is 10. stdnum has no second weights. */
function isBulgarianCompany(number: string): boolean {
  const first = weighted(number, [1, 2, 3, 4, 5, 6, 7, 8]) % 11
  const check = first === 10 ? (weighted(number, [3, 4, 5, 6, 7, 8, 9, 10]) % 11) % 10 : first
  return Number(number[8]) === check
}

/** EGN: begins with a date of birth, with 20 added to months before 1900 and 40 from 2000 on. stdnum does not check the date. */
function isBulgarianPerson(number: string): boolean {
  const [year = 0, month = 0, day = 0] = [0, 2, 4].map((at) => Number(number.slice(at, at + 2)))
  const [century, added] = month > 40 ? [2000, 40] : month > 20 ? [1800, 20] : [1900, 0]
  const check = (weighted(number, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10
  return isDay(century + year, month - added, day) && Number(number[9]) === check
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isBulgarianForeigner(number: string): boolean {
  return Number(number[9]) === weighted(number, [21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10
}

/** Numbers with the remainder 1 are not assigned: their check digit would be 10. */
function isBulgarianOther(number: string): boolean {
  return Number(number[9]) === (11 - (weighted(number, [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11
}

/** Nine digits that begin with 6. The 6 is not part of the sum, but stdnum counts it. */
function isCzechSpecial(number: string): boolean {
  const rest = weighted(number.slice(1), [8, 7, 6, 5, 4, 3, 2]) % 11
  return Number(number[8]) === 9 - ((11 - rest) % 10)
}

/**
 * The personal code of somebody who got it after June 2017: 3, a digit from 2 to 9, and digits without a date of birth, as the
 * Latvian Office of Citizenship and Migration Affairs says (pmlp.gov.lv/lv/personas-koda-maina). The check digit is computed as
 * for codes with a date, as in stdnum for Python 2.2 (stdnum/lv/pvn.py), whose examples and those of Smart-ID fit it. stdnum for
 * JavaScript reads a date, so that it refuses all of them.
 */
function isLatvianPerson(number: string): boolean {
  return Number(number[10]) === ((1 + weighted(number, [10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11) % 10
}

/**
 * A remainder of 0 would need the check digit 11, so that such numbers are not given out; 10 is written as 0, and the first digit
 * is not 0. So also stdnum for Python (stdnum/si/ddv.py) and jsvat (slovenia.ts). stdnum for JavaScript takes 1 for 11.
 */
function isSlovenian(number: string): boolean {
  const check = 11 - (weighted(number, [8, 7, 6, 5, 4, 3, 2]) % 11)
  return number[0] !== "0" && check !== 11 && Number(number[7]) === check % 10
}

/** Divisible by 11, and the third digit is one of six. stdnum checks the first digit instead. */
function judgeSlovak(number: string): Verdict {
  if (!/^[1-9]\d[234789]/.test(number)) return "component"
  return Number(number) % 11 === 0 ? "valid" : "check_digits"
}
