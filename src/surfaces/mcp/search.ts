import type { ApiDefinition } from "../../apis/contract.ts"

/** How much a word says that is found in a part of a definition. */
const weights = { name: 4, keywords: 4, category: 1.5, parameters: 0.7, description: 1 } as const

/** Words of questions that say nothing about what is wanted. */
const stopWords = new Set(
  (
    "a an and any are as at be by can check could do does for find from get give has have how i if in is it its me my " +
    "need not of on one or our please should show some tell that the their them there this to want was we what when " +
    "where whether which who whom why will with would you your make valid right correct real look up given into"
  ).split(" "),
)

/** An API's words, each with the weight of the best part that has it. */
type Words = ReadonlyMap<string, number>

/**
 * Returns a search by words: it gives the places of the APIs that have at least one of them, the best first. Words of id, title
 * and keywords count more than those of the description, and rare words more than those of many APIs. An empty query gives all.
 */
export function createSearch(apis: readonly ApiDefinition[]): (query: string) => readonly number[] {
  const indexed = apis.map(wordsOf)
  return (query) => {
    const all = [...new Set(split(query))]
    const telling = all.filter((word) => !stopWords.has(word))
    // A query of such words alone may still be the name of something.
    const wanted = telling.length > 0 ? telling : all
    const hits = wanted.map((word) => indexed.map((words) => matchOf(stem(word), words)))
    const scores = indexed.map((_, place) =>
      hits.reduce((sum, hit) => sum + (hit[place] ?? 0) * rarity(hit.filter((one) => one > 0).length), 0),
    )
    const places = [...apis.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    return wanted.length === 0 ? places : places.filter((place) => (scores[place] ?? 0) > 0)
  }

  function rarity(found: number): number {
    return Math.log(1 + apis.length / Math.max(1, found))
  }
}

/** The weight of a word of a query: less if it is only the start of a word. */
function matchOf(wanted: string, words: Words): number {
  const whole = words.get(wanted)
  if (whole !== undefined) return whole
  if (wanted.length < 3) return 0
  const starts = [...words].filter(
    ([word]) => word.startsWith(wanted) || (word.length > 3 && wanted.startsWith(word)),
  )
  return Math.max(0, ...starts.map(([, weight]) => weight / 2))
}

function wordsOf({ id, title, keywords = [], category = "", description, input }: ApiDefinition): Words {
  const words = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of split(text).map(stem)) words.set(word, Math.max(words.get(word) ?? 0, weight))
  }
  add(description, weights.description)
  add(Object.keys(input.properties).join(" "), weights.parameters)
  add(category, weights.category)
  add(keywords.join(" "), weights.keywords)
  add(`${id} ${title}`, weights.name)
  return words
}

function split(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Without the ending of a plural, or of a verb. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:(?<=[^s])s|(?<=\w{3})(?:ing|ed))$/, "") : word
}
