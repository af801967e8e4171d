import { defineApi, premium, reject, Type } from "penknife/plugin"

export default defineApi({
  id: "wordcount",
  title: "Word count",
  description: "Counts the words of a text.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    text: Type.String({ maxLength: 10_000, description: "The text; words are separated by white space." }),
    shortest: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 1,
        description: "Only words of so many characters at least count.",
      }),
    ),
  }),
  output: Type.Object({
    words: Type.Integer({ description: "How many words the text has." }),
    longest: premium(Type.Integer({ description: "How many characters the longest word has." })),
  }),
  examples: [
    { name: "Three words", input: { text: "one two three" }, output: { words: 3, longest: 5 } },
    {
      name: "Long words only",
      input: { text: "one two three", shortest: 4 },
      output: { words: 1, longest: 5 },
    },
  ],
  run({ text, shortest = 1 }) {
    if (text.trim() === "") reject("text", "must have a word")
    const words = (text.match(/\S+/g) ?? []).filter((word) => word.length >= shortest)
    return { words: words.length, longest: Math.max(0, ...words.map((word) => word.length)) }
  },
})
