const shopping =
  '# Shopping\n\n- [x] apples\n- [ ] ~~pears~~ plums<script>alert(1)</script> <i onclick="x()">now</i>'

/** A document in each dialect, and headings. */
export const examples = [
  {
    name: "A task list, and a script that becomes text",
    input: { text: shopping },
    output: {
      html: '<h1>Shopping</h1>\n<ul>\n<li><input type="checkbox" checked disabled /> apples</li>\n<li><input type="checkbox" disabled /> <del>pears</del> plums&lt;script&gt;alert(1)&lt;/script&gt; <i>now</i></li>\n</ul>\n',
      headings: [{ level: 1, text: "Shopping", anchor: "heading-shopping" }],
      table_of_contents: '<ul>\n<li><a href="#heading-shopping">Shopping</a></li>\n</ul>\n',
      problems: [
        {
          code: "html_as_text" as const,
          severity: "info" as const,
          message: "HTML that would hide the text after it is shown as text (2 times).",
          where: "text",
        },
      ],
    },
  },
  {
    name: "CommonMark without extensions",
    input: { text: "Hello **world**, ~~not struck~~\n\n1. one\n2. two", dialect: "commonmark" as const },
    output: {
      html: "<p>Hello <strong>world</strong>, ~~not struck~~</p>\n<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n",
      headings: [],
      table_of_contents: "",
      problems: [],
    },
  },
  {
    name: "Headings with anchors",
    input: { text: "# Guide\n\n## Use\n\n## Use", heading_ids: true },
    output: {
      html: '<h1 id="heading-guide">Guide</h1>\n<h2 id="heading-use">Use</h2>\n<h2 id="heading-use-1">Use</h2>\n',
      headings: [
        { level: 1, text: "Guide", anchor: "heading-guide" },
        { level: 2, text: "Use", anchor: "heading-use" },
        { level: 2, text: "Use", anchor: "heading-use-1" },
      ],
      table_of_contents:
        '<ul>\n<li><a href="#heading-guide">Guide</a><ul>\n<li><a href="#heading-use">Use</a></li>\n<li><a href="#heading-use-1">Use</a></li>\n</ul>\n</li>\n</ul>\n',
      problems: [],
    },
  },
]
