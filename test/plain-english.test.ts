/** Sentences and kinds of sentences that readers have to read twice. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { Glob } from "bun"

const root = join(import.meta.dir, "..")
/** Noun clauses, pronouns without a noun, riddles. */
const unclear = [
  "Only two things leave the machine",
  "Shows as whom you act, and what you may do",
  "null when it did not become known",
  "Also where the month is not in the future, which gives used credits again",
  "What follows the words in the example of the help",
  "The start of the owner of a person's sessions, which is also the actor of what they do",
  "What follows is not created if there is a mistake, but its other mistakes are looked for",
  "characters with which a text could look like another one, or like another line of a list",
  "Whether the stored month of an account is over, so that nothing of the present one is used",
  "The first day whose usage is kept by day, `YYYY-MM-DD`, the first of a month. Earlier usage is that of a month. Null without one",
  "The first and the last rows of the order, as conditions of the same index. They are left out where a place of the list says more",
  "At most one account has it",
  "Those of some accounts that meet conditions",
  "The condition that a column begins with a text of ASCII characters, in the words of an index of the column's bytes",
  "A row of a month that is over has another place",
  "How many rows statements of a month are made from, and one more, for each of some accounts",
  "What is true of an account's row of the ledger",
  "What the visible prefix of one of its keys begins with, in ASCII",
  "All long work of the process together computes at most this long in one turn of the event loop, and one step more",
  "Minutes of the last hours are not folded yet: of a day at least",
  "The refusal of a request that a page of a stranger may have made a browser send: by DNS rebinding, which shows in `Host`,",
  "over standard input anyone who can start the program",
  "The settings by name include a version",
  "The path of the page, which the list beside it marks",
  "Only 'audit prune' has a use for it. In the file and the environment it may stand for both",
  "none if one of them is wrong, since nothing can be said of cells then",
  "What to change, the most points first; of as many, in the order of the checks",
  "Of the server and of those that signed it, as far as the server sent them",
  "That a name does not exist, nor a wildcard for it",
  "What a public key of a record is",
  "Those whose look-up finds nothing, by the client's address family",
  "What was typed and chosen, by the names of the fields",
  "What visitors of the portal see who are not signed in, or who have opened a link from a mail",
  "Figures that come one after the other would move those already shown",
  "Half of the calls took no longer than p50, which is an average over the APIs",
  "With none ticked it may call all",
  "Each mail has a link that ends them",
  "Accounts are given it by this name",
  "What is sent to accounts, by webhook or mail: credits that run low, keys that end,",
  "a single call without a key to one of these APIs is that of a guest, from a page of this service as from curl",
  "What is there already is not awaited: a wait that is none costs a turn",
  "As the gate would have said, had it known",
  "Puts an account into a month of which nothing is used",
  "There is nothing at this path. There is",
  "cannot book calls just now",
  "Where a caller stands",
  "A worker ends when so long after its call more workers are free than one",
  "Finds what a call uses of what is deprecated. Null for an API of which nothing is that shows in the input",
  "what was used of what is deprecated, to record beside",
  "Of all APIs, each as much as it was called; null without calls",
  "The folders of own APIs that those of them that have started do not serve; null for the first",
  "A first page reads little, and to start other processes of the server for it takes longer",
  "Of a new thing, what was left empty says nothing",
  "Who has left the screen meanwhile is not called back to it",
  "Who is signed out is asked to sign in again, above the form",
  "A browser's own field for numbers changes them with the wheel, and says nothing of what else was typed",
  "What stands in the place of content: it is loading, there is none, or it could not be had",
  "Deletes what has expired, the oldest first. It counts for nothing as long as it is there",
  "A bucket that is full later than an empty one was last changed at a later time",
  "Replays that are over are looked for this often, and by changes with an Idempotency-Key alone",
  "The parameter of what can be had as a table",
  "What of a reply a client sees",
  "Asks for another text of the configuration file, in all workers, if the present one is the expected one",
  "The data of a request and what was charged, or the fault that ended it, which is logged already",
  "The database answered another question",
  "Requests that failed so",
  "What sums were made for",
  "Keys of an account with which its customers may make another in the portal, at most",
  "A session may do what was signed in with may do, and ends with it",
  "makes another at any time, also for who has lost all keys",
]

test("no text of the sources and the documentation is one of them", async () => {
  const found: string[] = []
  for await (const [file, text] of filesOf(
    "*.md",
    "{src,docs,examples,clients}/**/*.{ts,tsx,mts,mjs,cjs,md,sql,css,json,yaml,txt,go,java,py}",
  )) {
    const joined = text.replace(/\s*\n\s*(?:\*|\/\/|--|#)?\s*/g, " ")
    found.push(...unclear.filter((words) => joined.includes(words)).map((words) => `${file}: ${words}`))
  }
  expect(found).toEqual([])
})

test("a comment begins with its noun or verb, not with a clause or a pronoun", async () => {
  const found: string[] = []
  for await (const [file, text] of filesOf(
    "{src,test,scripts,bench,examples,clients}/**/*.{ts,tsx,mts,mjs,cjs,css,sql,go,java,py}",
  ))
    if (file !== "test/plain-english.test.ts")
      found.push(...clausesIn(text).map((words) => `${file}: ${words}`))
  expect(found).toEqual([])
})

test.each([
  ["/** What a check finds. */", 1],
  ["/**\n * Those with jobs,\n * in the order of their turns.\n */", 1],
  ["\n  // Of plans and prices.\n", 1],
  ["size INTEGER, -- of the whole\n-- What is kept", 1],
  ["const a = 1 // Those of customers alone.", 1],
  ["{/* What is left */}", 1],
  ["key = None  # What the account has", 1],
  ["// The parts of a reply.\n// What a client sees is one of them.", 0],
  ["/** The parts\n * Of a name stay as they are. */", 0],
  ["/** Whatever the caller sends. Offers, too. */", 0],
])("%j has %d such comments", (text, count) => expect(clausesIn(text)).toHaveLength(count))

test("a byte is a byte: no octet in names, comments and pages, but in names that others have given", async () => {
  const found: string[] = []
  for await (const [file, text] of filesOf(
    "*.md",
    "{src,docs,examples,clients}/**/*.{ts,tsx,mjs,md,sql,css,go,java,py}",
  ))
    if (!file.endsWith(".test.ts") && hasOctet(text)) found.push(file)
  expect(found).toEqual([])
})

test.each([
  ["/** The first octets of a key. */", true],
  ["const maxOctets = 65_536", true],
  ['setHeader("content-type", "application/octet-stream")', false],
  ["const octetString = 0x04", false],
  ["return address.octets.slice(0, 3)", false],
])("%j: %p", (text, expected) => expect(hasOctet(text)).toBe(expected))

async function* filesOf(...patterns: string[]): AsyncGenerator<readonly [file: string, text: string]> {
  const files = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
  expect(files).toContain("src/main.ts")
  for (const file of files) yield [file, await Bun.file(join(root, file)).text()]
}

/** Whether a text says octet, except for RFC 2046 (a media type), X.680 (a type of ASN.1) and the library ipaddr.js. */
const hasOctet = (text: string): boolean =>
  /octet/i.test(text.replace(/application\/octet-stream|octet ?string|\baddress\.octets\b/gi, ""))

/** The comments that begin with such a word. A line comment goes on in the next line, which may begin with any word. */
function clausesIn(text: string): readonly string[] {
  const lines = text.split("\n")
  const isLineComment = (line = "") => /^\s*(?:\/\/|--|#)/.test(line)
  const inLines = lines.flatMap((line, index) => {
    if (isLineComment(line) && isLineComment(lines[index - 1])) return []
    return /(?:^|\s)(?:\/\/|--|#) (?:What|Those|Of)\b.*/.exec(line)?.[0].trim() ?? []
  })
  const inBlocks = text.match(/\/\*{1,2}\s*(?:\*\s)?\s*(?:What|Those|Of)\b.*/g) ?? []
  return [...inLines, ...inBlocks]
}
