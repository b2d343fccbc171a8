import type { HtmlNode } from '../html/html-tree.ts'

type Marks = readonly [open: string, close: string]

/** Outer and inner quotation marks by language, after CLDR. */
const marks = new Map<string, readonly [outer: Marks, inner: Marks]>()
const ENGLISH = pairs('“”‘’')
for (const [languages, written] of [
  ['de cs sk sl is lt bg et lb sr hr mk sq ka', '„“‚‘'],
  ['pl ro hu', '„”«»'],
  ['fr it es pt ca el gl oc eu no nb nn fa ar hy', '«»“”'],
  ['ru uk be kk', '«»„“'],
  ['sv fi', '””’’'],
  ['da', '»«›‹'],
  ['ja', '「」『』'],
  ['zh-tw zh-hk zh-hant', '「」『』'],
] as const)
  for (const language of languages.split(' ')) marks.set(language, pairs(written))

function pairs(written: string): readonly [Marks, Marks] {
  const [first, second, third, fourth] = [...written] as [string, string, string, string]
  return [
    [first, second],
    [third, fourth],
  ]
}

/** Number of ancestors in which the language is searched. */
const MAX_LEVELS = 100

/** Matches a quotation mark, which some pages write themselves around a `<q>` or in it. */
const written = /^["'“”„‟‘’‚«»‹›「」『』]/u

/** True if a page writes the quotation marks of a quote itself. */
export function startsWithMark(text: string): boolean {
  return written.test(text.trimStart())
}

/** Returns the quotation marks of a `<q>`, which browsers add, in the language of the text around it. */
export function quotationMarks(quote: HtmlNode): Marks {
  let depth = 0
  let language: string | undefined
  for (let up = quote.parent, level = 0; up && level < MAX_LEVELS; up = up.parent, level++) {
    if (up.tag === 'q') depth++
    language ??= up.attributes.lang ?? up.attributes['xml:lang']
  }
  const tag = (language ?? '').slice(0, 20).toLowerCase()
  const both = marks.get(tag) ?? marks.get(tag.split('-', 1)[0]!) ?? ENGLISH
  return both[depth % 2 === 0 ? 0 : 1]
}
