/** The digits of an ISMN after `9790` that are the publisher's: the first one says how many they are (ISO 10957). */
const publisherForm = /^(?:0\d\d|[1-3]\d{3}|[4-6]\d{4}|[78]\d{5}|9\d{6})/

/** An ISMN of 13 digits with its hyphens, such as `979-0-2605-3211-3`. The check digit is not looked at. */
export function hyphenateIsmn(digits: string): string {
  const [publisher = ""] = publisherForm.exec(digits.slice(4)) ?? []
  return `979-0-${publisher}-${digits.slice(4 + publisher.length, -1)}-${digits.slice(-1)}`
}
