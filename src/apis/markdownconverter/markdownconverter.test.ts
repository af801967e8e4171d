import { expect, test } from "bun:test"
import { tests } from "commonmark-spec"
import fc from "fast-check"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { readMarkdown } from "./render.ts"
import { run } from "./run.ts"

const convert = (text: string, more: Partial<Parameters<typeof run>[0]> = {}) =>
  runIsolated(run, { text, ...more })
const htmlOf = async (text: string) => (await convert(text)).html.trimEnd()

test("all examples of CommonMark 0.31.2 are there", () => expect(tests.length).toBe(652))

test.each(tests.map(({ number, section, markdown, html }) => [number, section, markdown, html] as const))(
  "CommonMark 0.31.2, before HTML is taken out: %i, %s",
  (_number, _section, markdown, html) => {
    // The specification shows tabs as arrows.
    const shown = (text: string) => text.replaceAll("→", "\t")
    expect(readMarkdown(shown(markdown), "commonmark").write()).toBe(shown(html))
  },
)

test.each([
  ["~~a~~", "<p><del>a</del></p>"],
  // GFM 0.29, section 6.5: one or two tildes strike, three or more do not.
  ["~a~ b", "<p><del>a</del> b</p>"],
  ["~a~~ ~~b~", "<p>~a~~ ~~b~</p>"],
  ["c ~~~~a~~~~ ~~~b~~~", "<p>c ~~~~a~~~~ ~~~b~~~</p>"],
  ["~~a *~b~* c~~", "<p><del>a <em><del>b</del></em> c</del></p>"],
  // Section 6.9.
  ["ftp://a.example/b.", '<p><a href="ftp://a.example/b">ftp://a.example/b</a>.</p>'],
  ["xhttp://a.example httpx://b.example", "<p>xhttp://a.example httpx://b.example</p>"],
  [
    "hello@mail+xyz.example, hello+xyz@mail.example.",
    '<p>hello@mail+xyz.example, <a href="mailto:hello+xyz@mail.example">hello+xyz@mail.example</a>.</p>',
  ],
  ["a@b.example- a@b.example_ a@b", "<p>a@b.example- a@b.example_ a@b</p>"],
  ["*a@b_c.example*", '<p><em><a href="mailto:a@b_c.example">a@b_c.example</a></em></p>'],
  ["www.example.com/a_(b).", '<p><a href="http://www.example.com/a_(b)">www.example.com/a_(b)</a>.</p>'],
  ["xwww.example.com example.com", "<p>xwww.example.com example.com</p>"],
  ["https://a.test/?b=1&c", '<p><a href="https://a.test/?b=1&amp;c">https://a.test/?b=1&amp;c</a></p>'],
  ["www.a_b.example http://a_b.example.", "<p>www.a_b.example http://a_b.example.</p>"],
  ["www.a_b.c.example_", '<p><a href="http://www.a_b.c.example">www.a_b.c.example</a>_</p>'],
  ["https://a.example/b~~ *", '<p><a href="https://a.example/b">https://a.example/b</a>~~ *</p>'],
  ["http://a.example/b&copy;", '<p><a href="http://a.example/b">http://a.example/b</a>©</p>'],
  ["http://a.example/b;)", '<p><a href="http://a.example/b">http://a.example/b</a>;)</p>'],
  ["a@b.example", '<p><a href="mailto:a@b.example">a@b.example</a></p>'],
  [
    "- [X] a\n- [ ] b",
    '<ul>\n<li><input type="checkbox" checked disabled /> a</li>\n<li><input type="checkbox" disabled /> b</li>\n</ul>',
  ],
  ["- [y] a", "<ul>\n<li>[y] a</li>\n</ul>"],
  ["[x] a", "<p>[x] a</p>"],
  [
    "|a|b|\n|:-|-:|\n|1|2|",
    '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>',
  ],
  ["```js\n1 < 2\n```", '<pre><code class="language-js">1 &lt; 2\n</code></pre>'],
])("GFM: %j", async (text, html) => expect(await htmlOf(text)).toBe(html))

test("GFM is not in CommonMark", async () => {
  const text = "~~a~~ www.a.example\n\n- [ ] b\n\n|a|\n|-|"
  expect((await convert(text, { dialect: "commonmark" })).html).toBe(
    "<p>~~a~~ www.a.example</p>\n<ul>\n<li>[ ] b</li>\n</ul>\n<p>|a|\n|-|</p>\n",
  )
})

/** Ways to run code in a page, most of them from the OWASP cheat sheet on filter evasion. */
const attacks = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  "<img src='x' onerror='alert(1)' />",
  "<img/src/onerror=alert(1)>",
  "<img src=`javascript:alert(1)`>",
  "<svg onload=alert(1)><circle/></svg>",
  "<svg><script>alert(1)</script></svg>",
  "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<math href='javascript:alert(1)'>x</math>",
  "<iframe src='javascript:alert(1)'></iframe>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data='javascript:alert(1)'></object>",
  "<embed src='javascript:alert(1)'>",
  "<form action='javascript:alert(1)'><button>x</button></form>",
  "<input onfocus=alert(1) autofocus>",
  "<input type=checkbox disabled onchange=alert(1)>",
  "<button formaction='javascript:alert(1)'>x</button>",
  "<a href='javascript:alert(1)'>x</a>",
  "<a href='JaVaScRiPt:alert(1)'>x</a>",
  "<a href='java&#x09;script:alert(1)'>x</a>",
  "<a href='&#106;avascript:alert(1)'>x</a>",
  "<a href=' \u0001javascript:alert(1)'>x</a>",
  "<a href='vbscript:x'>x</a>",
  "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
  "[x](javascript:alert(1))",
  "[x](java\\script:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](<javascript:alert(1)>)",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "[x]: javascript:alert(1)\n\n[x]",
  "<javascript:alert(1)>",
  "[x](https://a.example '\" onmouseover=alert(1) \"')",
  '![" onerror=alert(1) "](x)',
  '```" onclick=alert(1)\nx\n```',
  "<div style='background:url(javascript:alert(1))'>x</div>",
  "<div style='position:fixed;top:0'>x</div>",
  "<p style='behavior:url(x.htc)'>x</p>",
  "<style>*{background:url(//evil.example)}</style>",
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<base href='javascript:alert(1)//'>",
  "<template><script>alert(1)</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<textarea><img src=x onerror=alert(1)></textarea>",
  "<!--><script>alert(1)</script>-->",
  "<!-- --!><img src=x onerror=alert(1)> -->",
  "<![CDATA[<script>alert(1)</script>]]>",
  "<?php <script>alert(1)</script> ?>",
  "<a id=location href=x>x</a><form name=body></form>",
  "<h1 id=attributes>x</h1>",
  "<details ontoggle=alert(1) open>x</details>",
  "<video src=x onerror=alert(1)></video><audio src=x onerror=alert(1)></audio>",
  "<marquee onstart=alert(1)>x</marquee>",
  "<x onclick=alert(1)>x</x>",
  "<p class='admin button' onclick=alert(1)>x</p>",
  "<img srcset='javascript:alert(1) 1x'>",
]

const allowedTags = new Set(
  "p br hr h1 h2 h3 h4 h5 h6 blockquote pre code em strong del ins s b i u small mark sub sup kbd samp var q cite abbr div span ul ol li dl dt dd table thead tbody tfoot tr th td caption details summary a img input".split(
    " ",
  ),
)
const allowedAttributes = new Set(
  "href src title alt width height align colspan rowspan start open type checked disabled id class".split(
    " ",
  ),
)

/** Dangerous HTML that another parser (lol-html) finds in the output. */
function dangersIn(html: string): string[] {
  const dangers: string[] = []
  new HTMLRewriter()
    .on("*", {
      element({ tagName, attributes }) {
        if (!allowedTags.has(tagName)) dangers.push(`<${tagName}>`)
        for (const [name = "", value = ""] of attributes) {
          if (!allowedAttributes.has(name)) dangers.push(`${tagName} ${name}`)
          // Browsers leave these characters out of addresses.
          const address = value.replace(/&#?\w+;?|[\s\p{Cc}]/gu, "").toLowerCase()
          if (
            (name === "href" || name === "src") &&
            /^(?!https?:|mailto:|tel:)[a-z][a-z\d+.-]*:/.test(address)
          )
            dangers.push(`${name}=${value}`)
          if (name === "id" && !value.startsWith("heading-")) dangers.push(`id=${value}`)
          if (name === "class" && !/^language-\S+$/.test(value)) dangers.push(`class=${value}`)
        }
      },
      comments: ({ text }) => void dangers.push(`<!--${text}`),
    })
    .transform(html)
  return dangers
}

test.each(attacks)("nothing dangerous comes out of %s", async (attack) => {
  const placed = [`a ${attack} b`, `# ${attack}`, `- ${attack}`, `|${attack}|\n|-|`, `**${attack}`]
  for (const text of [attack, ...placed])
    for (const dialect of ["gfm", "commonmark"] as const) {
      const { html, table_of_contents } = await convert(text, { dialect, heading_ids: true })
      expect(dangersIn(html)).toEqual([])
      expect(dangersIn(table_of_contents)).toEqual([])
    }
})

test("nothing dangerous comes out of pieces of attacks in any order", async () => {
  const piece = fc.constantFrom(
    ...attacks.flatMap((attack) => attack.split(/(?<=[<>"'=( ])|(?=[<>"'=( ])/)),
    ..."\n > - # ` ``` ~~ | [ ] ( ) ! \\ & ; \t \u0000".split(" "),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      const { html, table_of_contents } = await convert(pieces.join(""), { heading_ids: true })
      expect(dangersIn(html)).toEqual([])
      expect(dangersIn(table_of_contents)).toEqual([])
    }),
    { seed: 26, numRuns: 1_000 },
  )
})

test("the check itself finds dangers", () =>
  expect(dangersIn("<script>x</script><a onclick=x href='java\tscript:1'>x</a><h1 id=x>")).toHaveLength(4))

test("harmless HTML stays", async () => {
  const html =
    '<details open><summary>More</summary><kbd>Ctrl</kbd> H<sub>2</sub>O <a href="/x" title="t">y</a></details>'
  expect(await htmlOf(html)).toBe(html)
})

test("headings have text without markup, and anchors that no other has", async () => {
  const text =
    "# A *b* `c` ![d](e) [f](g) <i>h</i> &amp; \\*\n\na\n=\n\n# ÄÖ 1\n\n# Äö-1\n\n# !\n\n# äö 1\n\n#"
  const { headings } = await convert(text)
  expect(headings.map(({ level, text, anchor }) => [level, text, anchor])).toEqual([
    [1, "A b c d f h & *", "heading-a-b-c-d-f-h"],
    [1, "a", "heading-a"],
    [1, "ÄÖ 1", "heading-äö-1"],
    [1, "Äö-1", "heading-äö-1-1"],
    [1, "!", "heading-untitled"],
    [1, "äö 1", "heading-äö-1-2"],
    [1, "", "heading-untitled-1"],
  ])
})

test("the table of contents is well nested, whatever levels the headings have", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 12 }), async (levels) => {
      const text = levels.map((level, index) => `${"#".repeat(level)} h${index}`).join("\n\n")
      const { table_of_contents } = await convert(text)
      const open: string[] = []
      for (const [, slash, tag = ""] of table_of_contents.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
        if (slash) expect(open.pop()).toBe(tag)
        else open.push(tag)
      }
      expect(open).toEqual([])
      expect(table_of_contents.match(/<li>/g)?.length ?? 0).toBe(levels.length)
    }),
    { seed: 26, numRuns: 200 },
  ))

test("empty text, line breaks of all kinds and NUL", async () => {
  expect(await convert("")).toEqual({ html: "", headings: [], table_of_contents: "", problems: [] })
  expect([await htmlOf("a\r\nb\rc"), await htmlOf("a\u0000b")]).toEqual(["<p>a\nb\nc</p>", "<p>a\ufffdb</p>"])
})

const nine = ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext"]

// GFM 0.29, section 6.11: these nine begin with &lt;.
test.each(nine)("nothing that is written is taken away: a sentence with <%s>", async (name) => {
  for (const dialect of ["gfm", "commonmark"] as const)
    for (const tag of [`<${name}>`, `<${name.toUpperCase()} a="b">`, `</${name}>`]) {
      const text = `# The ${tag} tag\n\nIn ${tag} of a page.\n\n${tag}\n\nSecond\n\n## Last`
      const { html, headings, problems } = await convert(text, { dialect })
      expect(html).toContain("of a page.</p>")
      expect(html).toContain("Second")
      expect(html).not.toContain("&lt;/p&gt;")
      expect(headings[0]?.text).toBe(`The ${tag} tag`)
      for (const { text } of headings)
        expect(html).toContain(`${Bun.escapeHTML(text).replaceAll("&quot;", '"')}</h`)
      expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["html_as_text", "info"]])
    }
})

test.each([
  ['<p title="x>\n\n# Second', "<h1>Second</h1>"],
  ["<!-- a\n\nSecond", "Second"],
  ["<div\n\nSecond", "Second"],
  ["<![CDATA[ a\n\nSecond", "Second"],
])("nothing that is written is taken away: %j, which has no end", async (text, rest) =>
  expect((await convert(text)).html).toContain(rest),
)

test("nothing that is written is taken away: a tag that is left out is named, and its text stays", async () => {
  const { html, problems } = await convert("A Map<String> and <form><option>one</option></form> <b>c</b>")
  expect(html).toBe("<p>A Map and one <b>c</b></p>\n")
  expect(problems).toEqual([
    {
      code: "html_left_out",
      severity: "warning",
      message:
        "Tags that are not allowed are left out: <string>, <form>, <option>. To show one as text, put it in backticks.",
      where: "text",
    },
  ])
  expect((await convert("`<form>` <b>c</b>\n\n<!-- d -->")).problems).toEqual([])
})

test("nothing that is written is taken away: words among any tags", async () => {
  const tags = [
    ...nine.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} a`]),
    ..."<b> </b> <x-y> <form> <select> <option> <svg> <math> <noscript> <template>".split(" "),
    ..."<!-- <![CDATA[ <? <!a < > </ />".split(" "),
    "<a b=c",
  ]
  const part = fc.oneof(
    fc.constantFrom(...tags),
    fc.constantFrom(" ", " ", "\n", "\n\n", "# ", "- ", "> ", "**", "~"),
    fc.constant("word"),
  )
  const textOf = (html: string) => {
    let text = ""
    new HTMLRewriter()
      .onDocument({
        text: (chunk) => {
          text += chunk.text
        },
      })
      .transform(html)
    return text
  }
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 25 }), async (parts) => {
      let count = 0
      const text = parts.map((one) => (one === "word" ? ` word${count++} ` : one)).join("")
      const { html, headings } = await convert(text)
      // A word in a complete tag is an attribute.
      const shown = text.replace(/<(?:\/?[a-z]|\?|!(?!--|\[CDATA))[^>]*>/gi, "").match(/word\d+/g) ?? []
      expect(textOf(html).match(/word\d+/g) ?? []).toEqual(expect.arrayContaining(shown))
      for (const heading of headings)
        for (const word of heading.text.match(/word\d+/g) ?? []) expect(textOf(html)).toContain(word)
    }),
    { numRuns: 2_000 },
  )
})

test("text in instructions, declarations and CDATA is not left out without a warning", async () => {
  for (const [text, isLeftOut] of [
    ["a <?php echo 1; ?> b", true],
    ["<!DOCTYPE html>", true],
    ["<![CDATA[x]]> y", true],
    ["> <?xml?>", true],
    ["a <!-- x --> b", false],
    ["`<?php ?>` and \\<?php", false],
  ] as const) {
    const codes = (await convert(text)).problems.map(({ code }) => code)
    expect(codes).toEqual(isLeftOut ? ["instructions_left_out"] : [])
  }
})

test.each([
  ["![a\\- &amp; &copy;](/u)", "a- &amp; ©"],
  ["![one `co<de` two](/u)", "one co&lt;de two"],
  ["![*soft*\nbreak](/u)", "soft break"],
  ["![a ![in\\_ner](/v) z](/u)", "a in_ner z"],
])("the alternative text of %s keeps all words (CommonMark 0.31.2, section 6.4)", async (text, alt) =>
  expect((await convert(text)).html).toContain(`alt="${alt}"`),
)

/** Pieces of a text without links, whose stars and underscores pair by what is beside them. */
const piece = fc.constantFrom("*", "**", "***", "_", "__", "a", "b", ".", "(", " ", "ä")
const label = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""))

test("the text of a link has the emphasis that it has between other brackets (CommonMark 0.31.2, section 6.2)", () =>
  fc.assert(
    fc.property(label, (text) => {
      const plain = readMarkdown(`[${text}] x`, "commonmark").write()
      const linked = readMarkdown(`[${text}](/u) x`, "commonmark").write()
      expect(linked.replace('<a href="/u">', "[").replace("</a>", "]")).toBe(plain)
    }),
    { numRuns: 3_000 },
  ))

test("the alternative text of a picture lacks the marks of that emphasis alone", () =>
  fc.assert(
    fc.property(label, (text) => {
      const plain = readMarkdown(`[${text}] x`, "commonmark").write()
      const pictured = readMarkdown(`![${text}](/u) x`, "commonmark").write()
      expect(/alt="([^"]*)"/.exec(pictured)?.[1]).toBe(/\[(.*)\]/.exec(plain.replace(/<[^>]*>/g, ""))?.[1])
    }),
    { numRuns: 3_000 },
  ))

test.each([
  ["![**<b>*](/u)", '<p><img src="/u" alt="**&lt;b&gt;*" /></p>'],
  ["[x **<b>*](/u)", '<p><a href="/u">x **<b>*</a></p>'],
  ["![*a ![**b**](/v)*](/u)", '<p><img src="/u" alt="a b" /></p>'],
])("%s is read with the brackets of the link or picture around its text", (text, html) =>
  expect(readMarkdown(text, "commonmark").write().trim()).toBe(html),
)
