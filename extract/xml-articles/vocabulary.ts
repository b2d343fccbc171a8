import { readDoctype } from '../html/xml-doctype.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { docbookRules } from './docbook-elements.ts'
import type { ElementRules, RuleRow } from './element-rules.ts'
import { jatsRules } from './jats-elements.ts'

/** A vocabulary of XML for articles and books. */
export type ArticleVocabulary = 'jats' | 'docbook'

export const rulesOf: Readonly<Record<ArticleVocabulary, ElementRules>> = {
  jats: rules(jatsRules),
  docbook: rules(docbookRules),
}

function rules(rows: readonly RuleRow[]): ElementRules {
  return new Map(rows.flatMap(([role, tag, names]) => names.split(' ').map(name => [name, { role, tag }] as const)))
}

/** Children that only articles and books of JATS, BITS and NLM have. */
const jatsParts = new Set(
  'front body back front-stub floats-group book-meta book-front book-body processing-meta'.split(' '),
)
/** Elements that begin documents of DocBook, and no other vocabulary in wide use. */
const docbookRoots = new Set(
  (
    'articleinfo bookinfo chapter part preface appendix refentry reference set setindex sect1 sect2 sect3 sect4 sect5 refsect1 ' +
    'refsynopsisdiv simplesect qandaset'
  ).split(' '),
)
/** Children that show that an `article`, `book` or `section` is one of DocBook. */
const docbookParts = new Set(
  (
    'info title articleinfo bookinfo artheader sectioninfo chapter part preface sect1 para simpara formalpara itemizedlist ' +
    'variablelist programlisting'
  ).split(' '),
)
/** Maximum number of elements before the article: records of repositories have it inside. */
const MAX_WRAPPERS = 100

/** Returns the vocabulary of an XML document, or undefined if it is neither JATS nor DocBook. */
export function vocabularyOf(source: string): ArticleVocabulary | undefined {
  const { start, end } = readDoctype(source)
  const doctype = source.slice(start, end)
  if (/-\/\/OASIS\/\/DTD (?:Simplified )?DocBook/i.test(doctype)) return 'docbook'
  if (/-\/\/NLM\/\/DTD/i.test(doctype)) return 'jats'
  let found: ArticleVocabulary | undefined
  let parent = ''
  let count = 0
  readXml(source, {
    open: (written, attributes) => {
      const name = localName(written)
      if (name === 'html' || name === 'svg' || name === 'rss' || name === 'feed') return false
      const isDocbook = Object.entries(attributes).some(
        ([key, value]) => key.startsWith('xmlns') && value === 'http://docbook.org/ns/docbook',
      )
      const isWhole = parent === 'article' || parent === 'book'
      if (isDocbook || (count === 0 && docbookRoots.has(name))) found = 'docbook'
      else if (isWhole && jatsParts.has(name)) found = 'jats'
      else if ((isWhole || (count === 1 && parent === 'section')) && docbookParts.has(name)) found = 'docbook'
      parent = name
      return found === undefined && ++count < MAX_WRAPPERS
    },
  })
  return found
}
