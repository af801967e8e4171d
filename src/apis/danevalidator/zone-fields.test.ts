import { expect, test } from "bun:test"
import { toZoneFields } from "./zone-fields.ts"

test.each<[name: string, text: string, fields: readonly string[]]>([
  ["blanks and tabs", " a \t b\tc  ", ["a", "b", "c"]],
  ["nothing", " \t\n ; only a comment\n", []],
  ["Windows line ends", "a b\r\n\r\n", ["a", "b"]],
  ["comments", "; head\na b;c d\n;tail", ["a", "b"]],
  ["parentheses over lines", "a (b ; x )\n c\n\n) d", ["a", "b", "c", "d"]],
  ["parentheses without blanks", "a(b)c", ["a", "b", "c"]],
  ["nested and repeated parentheses", "(a ((b) c)) (d)", ["a", "b", "c", "d"]],
  ["quotes keep what separates fields", 'a "b; (c)" d', ["a", '"b; (c)"', "d"]],
  ["an escaped quote does not end quotes", '"a\\"b" c', ['"a\\"b"', "c"]],
  ["a backslash keeps the next character", "a\\;b\\ c \\#", ["a\\;b\\ c", "\\#"]],
  ["a backslash at the end", "a \\", ["a", "\\"]],
])("one entry is split into its fields: %s", (_, text, fields) =>
  expect(toZoneFields(text)).toEqual([...fields]),
)

test.each<[name: string, text: string, requirement: string]>([
  ["two entries", "a b\nc d", "must be one record"],
  ["a line too many after parentheses", "a (b)\n(c)", "must be one record"],
  ["parenthesis not closed", "a (b", "must close each parenthesis"],
  ["parenthesis closed in a comment", "a (b ; )", "must close each parenthesis"],
  ["parenthesis not opened", "a ) b (", "an opening parenthesis before"],
  ["quote not closed", 'a "b', "must close each quote"],
  ["quote closed in the next line", 'a "b\nc"', "must close each quote"],
  ["no-break space", "a\u00a0b", "invisible character U+00A0"],
  ["byte order mark", "\ufeffa b", "invisible character U+FEFF"],
  ["zero-width space", "a b\u200b", "invisible character U+200B"],
  ["NUL", "a\u0000", "invisible character U+0000"],
  ["a line end after a backslash", "a \\\nb", "invisible character U+000A"],
])("text that is not one entry is rejected: %s", (_, text, requirement) =>
  expect(() => toZoneFields(text)).toThrow(requirement),
)
