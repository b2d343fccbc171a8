import { clip } from '../characters/surrogates.ts'
import type { DocumentProperties } from '../documents/document-properties.ts'
import { collapse } from '../html/html-tree.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { dateFrom, type StatedDate, statedDate } from './article-dates.ts'

const MAX_AUTHORS = 20
const MAX_CHARS = 5000

/** Elements with the metadata of the whole article. */
const infos = /^(?:article-meta|book-meta|articleinfo|bookinfo|artheader|setinfo|refentryinfo|info|[a-z]+info)$/
const bodies =
  /^(?:body|book-body|back|sec|section|sect1|para|simpara|chapter|part|preface|refsynopsisdiv|refsect1|refnamediv)$/
const names = /^(?:contrib|author|corpauthor)$/
/** Parts of a name, in the order in which they are written. */
const nameParts = [
  'prefix',
  'honorific',
  'given-names',
  'firstname',
  'givenname',
  'othername',
  'surname',
  'lineage',
  'suffix',
]
/** Elements whose text is a whole name. */
const wholeNames = /^(?:string-name|collab|personname|corpauthor|orgname|corpname)$/
/** Elements in a title or name whose text is not part of the title or name. */
const asides =
  /^(?:xref|fn|footnote|indexterm|aff|affiliation|address|email|contrib-id|role|bio|degrees|uri|ext-link|ulink|contrib-group|authorblurb|personblurb|jobtitle|orgdiv)$/

/** Returns the properties that an article states before its text. */
export function articleFacts(source: string): DocumentProperties {
  const path: string[] = []
  const authors: string[] = []
  const dates: StatedDate[] = []
  let [title, lang, abstract]: (string | undefined)[] = []
  // Depths of the open title, abstract, and aside in a title or name; 0 if none is open.
  let titleDepth = 0
  let abstractDepth = 0
  let aside = 0
  let date: (StatedDate & { depth: number }) | undefined
  let name: { depth: number; isAuthor: boolean; whole: string; parts: Map<string, string> } | undefined
  readXml(source, {
    open: (written, attributes) => {
      const tag = localName(written)
      path.push(tag)
      const depth = path.length
      const parent = path[depth - 2] ?? ''
      if (depth <= 5) lang ??= attributes['xml:lang'] ?? (depth <= 2 ? attributes.lang : undefined)
      if (depth > 1 && bodies.test(tag) && !path.some(one => infos.test(one))) return false
      const isInfo = infos.test(parent) || parent === 'title-group' || parent === 'book-title-group' || depth === 2
      const isTitle = isInfo
        ? /^(?:title|article-title|book-title)$/.test(tag)
        : parent === 'refmeta' && tag === 'refentrytitle'
      if (isTitle && title === undefined && name === undefined) {
        titleDepth = depth
        title = ''
      } else if (tag === 'abstract' && abstract === undefined) {
        abstractDepth = depth
        abstract = ''
      } else if (
        names.test(tag) &&
        name === undefined &&
        path.some(one => infos.test(one) || one === 'contrib-group')
      ) {
        const type = attributes['contrib-type'] ?? 'author'
        name = { depth, isAuthor: /author/i.test(type), whole: '', parts: new Map() }
      } else if (/^(?:pub-date|pubdate|date)$/.test(tag) && !date && (infos.test(parent) || tag === 'pub-date')) {
        date = { depth, ...statedDate(tag, attributes) }
      } else if ((titleDepth > 0 || name) && asides.test(tag)) aside ||= depth
      return true
    },
    close: () => {
      const depth = path.length
      path.pop()
      if (depth === aside) aside = 0
      if (depth === titleDepth) titleDepth = 0
      if (depth === abstractDepth) abstractDepth = 0
      if (depth === date?.depth) {
        dates.push(date)
        date = undefined
      }
      if (depth === name?.depth) {
        const given = nameParts.flatMap(part => name!.parts.get(part) ?? []).join(' ')
        const text = collapse(given || name.whole)
        if (name.isAuthor && text !== '' && authors.length < MAX_AUTHORS) authors.push(text)
        name = undefined
      } else if (abstractDepth > 0) abstract += ' '
    },
    text: text => {
      if (aside > 0) return
      const tag = path.at(-1) ?? ''
      if (titleDepth > 0) title = clip((title ?? '') + text, MAX_CHARS)
      else if (abstractDepth > 0 && tag === 'title' && path.length === abstractDepth + 1) return
      else if (abstractDepth > 0) abstract = clip((abstract ?? '') + text, MAX_CHARS)
      else if (date) date.values.set(date.depth === path.length ? '' : tag, text.trim())
      else if (name) {
        if (nameParts.includes(tag) && !name.parts.has(tag)) name.parts.set(tag, collapse(text))
        else if (wholeNames.test(tag) || tag === 'author') name.whole = clip(name.whole + text, MAX_CHARS)
      }
    },
  })
  return { title, authors, date: dateFrom(dates), description: abstract, lang }
}
