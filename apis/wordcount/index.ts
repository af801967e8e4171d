import { defineApi, premium, reject, Type } from "penknife/plugin"

export default defineApi({
  // The name of this folder.
  id: "wordcount",
  title: "Word count",
  description: "Counts the words of a text.",
  // GET takes the parameters from the query string, POST from a JSON body.
  method: "POST",
  credits: 1,
  input: Type.Object({
    text: Type.String({ maxLength: 10_000, description: "The text; words are separated by white space." }),
  }),
  output: Type.Object({
    words: Type.Integer({ description: "How many words the text has." }),
    // Absent on plans without premium fields.
    longest: premium(Type.Integer({ description: "How many characters the longest word has." })),
  }),
  // They are the tests: an API whose examples are wrong is not served. 'penknife api check' tries them.
  examples: [{ name: "Three words", input: { text: "one two three" }, output: { words: 3, longest: 5 } }],
  run({ text }) {
    if (text.trim() === "") reject("text", "must have a word")
    const words = text.match(/\S+/g) ?? []
    return { words: words.length, longest: Math.max(0, ...words.map((word) => word.length)) }
  },
})
