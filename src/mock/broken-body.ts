/**
 * Cuts a body in half and ends it so that no parser accepts it. A cut alone may leave valid CSV or YAML. The added line opens a
 * quote at the margin and goes on after it, which neither allows (RFC 4180 §2, YAML 1.2.2 §7.3.1), also inside a quoted text.
 */
export function toBrokenBody(body: string): string {
  return `${body.slice(0, body.length / 2)}\n"a"b`
}
