import type { WorstInputs } from "../support/worst-inputs.ts"

const maxBytes = 1_048_576
const fill = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length))
const from = "From: ann@a.test\r\n"
const signature = (index: number, more = "", names = "from") =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=a${index}.test; s=s; h=${names}; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; ${more}b=AAAA\r\n`
const many = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join("")
const arcSet = (index: number) =>
  `ARC-Seal: i=${index}; a=rsa-sha256; cv=${index === 1 ? "none" : "pass"}; d=a${index}.test; s=s; b=AAAA\r\n` +
  `ARC-Message-Signature: i=${index}; a=rsa-sha256; c=relaxed/relaxed; d=a${index}.test; s=s; h=from; bh=AAAA; b=AAAA\r\n` +
  `ARC-Authentication-Results: i=${index}; a.test; dkim=pass\r\n`
const nested = many(
  3_000,
  (index) => `Content-Type: multipart/mixed; boundary="b${index}"\r\n\r\n--b${index}\r\n`,
)
const withBody = (body: string) => `${signature(1)}${from}\r\n${body}`.slice(0, maxBytes)
const modes = ["simple/simple", "relaxed/simple", "simple/relaxed", "relaxed/relaxed"]
const allHashes = many(8, (index) =>
  signature(index, `l=${index}; `).replace("relaxed/relaxed", modes[index % 4] ?? "simple/simple"),
)
const names = `from:${fill("x:", 250_000)}`

const messages: Readonly<Record<string, string>> = {
  "300 signatures": `${many(300, (index) => signature(index))}${from}\r\n`,
  "1,300 signatures": `${many(1_300, (index) => signature(index))}${from}\r\n`,
  "3,000 levels of MIME": `${signature(1)}${from}${nested}`,
  "50 sets of ARC": `${many(50, (index) => arcSet(50 - index))}${from}\r\n`,
  "1,500 sets of ARC": `${many(1_500, (index) => arcSet(index + 1))}${from}\r\n`,
  "a header line of 256 KB": `${from}Subject: ${fill("a", 260_000)}\r\n\r\n`,
  "a header of 5,000 lines": `${signature(1, "", `${fill("x:", 2_000)}from`)}${from}${fill("X: a\r\n", 29_000)}\r\n`,
  "a field folded 5,000 times": `${from}X: a\r\n${fill(" a\r\n", 19_000)}\r\n`,
  "a header of 1 MB": `${from}${fill("X: a\r\n", maxBytes - 100)}`,
  "blanks in a signature": `${signature(1, "", `from:${" ".repeat(250_000)}x`)}${from}\r\n`,
  "dots in a signature": `${signature(1).replace("a1.test", `a${fill(".", 250_000)}test`)}${from}\r\n`,
  "carriage returns in a header": `${from}X: ${fill("\r", 250_000)}y\r\n\r\n`,
  "names of 250 KB in a signature": `${signature(1, "", names)}${from}\r\n`,
  "ten signatures with many names and many fields": `${many(10, (index) => signature(index, "", `from:${fill("x:", 8_000)}`))}${from}${fill("X: a\r\n", 25_000)}\r\n`,
  "tags of a signature": `${signature(1, fill("a=b;", 200_000))}${from}\r\n`,
  "an author of 250 KB": `From: ${fill("a@b.test, ", 250_000)}\r\n\r\n`,
  "comments in the author": `From: ${fill("(", 250_000)}\r\n\r\n`,
  "quotes in the author": `From: ${fill('"a" <', 250_000)}\r\n\r\n`,
  "groups in the author": `From: ${fill("a:b@c.test;", 250_000)}\r\n\r\n`,
  "a boundary of 200 KB": `${signature(1)}${from}Content-Type: multipart/mixed; boundary="${fill("a", 200_000)}"\r\n\r\n${fill("--aaa\r\n", 700_000)}`,
  "parameters of the content type": `${signature(1)}${from}Content-Type: a/b${fill("; a*0=b", 200_000)}\r\n\r\n`,
  "eight kinds of body hashes": `${allHashes}${from}\r\n${fill("a \t b \r\n", 1_000_000)}`.slice(0, maxBytes),
  "blanks before the header": `${fill("\r\n", maxBytes - from.length)}${from}`,
  "line feeds": withBody(fill("\n", maxBytes)),
  "carriage returns": withBody(fill("\r", maxBytes)),
  blanks: withBody(fill(" ", maxBytes)),
  "empty lines": withBody(fill("\r\n", maxBytes)),
  "blanks and line ends": withBody(fill(" \r\n", maxBytes)),
}

/** Messages that take long to read, to hash or to check. */
export const worst: WorstInputs = {
  ...Object.fromEntries(Object.entries(messages).map(([what, message]) => [what, { message }])),
  "a long sender": { message: `${from}\r\n`, ip: "192.0.2.1", sender: `${fill("a.", 318)}@` },
  "base64 of 1.4 million characters": { message: fill("A", 1_400_000) },
  colons: { message: fill(":", 1_400_000) },
}

/** The two that take longest. */
export const inCheck = ["eight kinds of body hashes", "50 sets of ARC"]
