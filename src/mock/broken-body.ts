/**
 * Half of a body, and an ending that fits nowhere. What is cut off in the middle may still be read: a quoted field of CSV or
 * a quoted scalar of YAML needs only its quote, a plain one not even that. So a line at the margin follows that opens a
 * quote and goes on after it is closed, which neither allows (RFC 4180 §2, YAML 1.2.2 §7.3.1), or, inside a quoted text, closes it
 * and goes on. JSON and XML lack their end anyhow.
 */
export function toBrokenBody(body: string): string {
  return `${body.slice(0, body.length / 2)}\n"a"b`
}
