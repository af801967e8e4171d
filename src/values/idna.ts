/**
 * Turns U-labels of a domain name into A-labels (RFC 5890 §2.3.2.1) and leaves ASCII unchanged. Null when IDNA does not allow
 * the name.
 */
export async function toALabels(name: string): Promise<string | null> {
  if (isAscii(name)) return name
  // Loaded on first use: the mapping tables are slow to load, and few callers need them.
  const { toASCII, toUnicode } = await import("tr46")
  const ascii = toASCII(name, { checkBidi: true, checkJoiners: true })
  return ascii !== null && toUnicode(ascii).domain.split(".").every(isIdnaLabel) ? ascii : null
}

/** RFC 5892 allows letters, marks, digits and a few other characters. UTS #46 would also allow emoji. */
function isIdnaLabel(label: string): boolean {
  return /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u00b7\u0375\u05f3\u05f4\u30fb\p{Join_Control}_-]*$/u.test(
    label,
  )
}

/** Whether IDNA allows the labels that the A-labels of an ASCII name stand for (RFC 5891 §4.2.3). */
export async function hasValidALabels(name: string): Promise<boolean> {
  if (!/(?:^|\.)xn--/i.test(name)) return true
  const { toUnicode } = await import("tr46")
  const { domain, error } = toUnicode(name, { checkBidi: true, checkJoiners: true })
  const labels = domain.split(".").filter((label) => !isAscii(label))
  return !error && labels.every((label) => isIdnaLabel(label) && !/^-|-$|^..--/.test(label))
}

/** Whether all characters of a text are ASCII. */
export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text)
}
