import { decodeHTMLAttribute } from 'entities'
import { collapse } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import type { PageLink } from '../page.ts'

const MAX_LINKS = 5000
const MAX_LINE_CHARS = 10_000

/** A definition, `[label]: target "title"` (CommonMark 4.7). */
const definition = /^ {0,3}\[([^[\]]{1,300})\]:\s*(?:<([^<>]{0,2000})>|([^\s<>]{1,2000}))/
/**
 * The links of a text (CommonMark 6.3 and 6.5, and the GFM extension of autolinks), in this order: inline with its text and
 * target; by reference with its text and label; autolink; `<a href>`; bare URL.
 */
const links =
  /(?<!!)\[((?:[^[\]]|!\[[^[\]]{0,100}\]|\[[^[\]]{0,100}\](?!\()){0,300})\](?:\(\s{0,9}(?:<([^<>]{0,2000})>|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?))|\[([^[\]]{0,300})\])?|<(https?:[^\s<>]{1,2000})>|<a\s[^<>]{0,300}?href\s{0,9}=\s{0,9}["']?([^\s"'<>]{1,2000})|(?<![\w/"'=<]|\]\()(https?:\/\/[^\s<>"'`[\]]{1,2000})/gi

/** Returns the links of Markdown in their order, each URL once, at most 5,000. Code has no links. */
export function markdownLinks(markdown: string, resolver: LinkResolver): PageLink[] {
  const lines = linesOutsideCode(markdown)
  const targets = new Map<string, string>()
  const texts: string[] = []
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at]!
    // The target may be on the line after its label.
    if (/^ {0,3}\[[^[\]]{1,300}\]:\s*$/.test(line) && at + 1 < lines.length) line = `${line} ${lines[++at]!.trim()}`
    const [, label, bracketed, plain] = definition.exec(line) ?? []
    if (label === undefined) texts.push(line)
    else if (label.startsWith('^')) texts.push(line.slice(line.indexOf(']:') + 2))
    else if (!targets.has(keyOf(label))) targets.set(keyOf(label), bracketed ?? plain ?? '')
  }
  const found = new Map<string, PageLink>()
  const add = (target: string | undefined, text: string): void => {
    if (target === undefined || target.startsWith('#') || found.size >= MAX_LINKS) return
    const resolved = resolver.resolve(decodeHTMLAttribute(target))
    if (resolved === undefined) return
    const url = withoutFragment(resolved)
    if (!found.has(url)) found.set(url, { url, text: collapse(text), nofollow: false })
  }
  // A link may go over the end of a line.
  for (const [, text, bracketed, plain, label, auto, html, bare] of texts.join('\n').matchAll(links)) {
    if (text !== undefined) add(bracketed ?? plain ?? targets.get(keyOf(label || text)), text)
    else add(auto ?? html ?? withoutPunctuation(bare ?? ''), '')
  }
  return [...found.values()]
}

/** Labels match without regard to case and white space (CommonMark 6.3, "matches"). */
function keyOf(label: string): string {
  return collapse(label).toLowerCase()
}

/** Removes punctuation that ends a sentence, and a bracket that the URL does not open (GFM 6.9, "extended autolink"). */
function withoutPunctuation(url: string): string {
  const end = url.replace(/[?!.,:*_~;]{1,20}$/, '')
  return end.endsWith(')') && !end.includes('(') ? end.slice(0, -1).replace(/[?!.,:*_~;]{1,20}$/, '') : end
}

/** Returns the lines without fenced and indented code, and with code spans removed. */
function linesOutsideCode(markdown: string): string[] {
  const lines: string[] = []
  let fence = ''
  let isAfterBlank = true
  let isInList = false
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence
    if (fence !== '' || mark !== undefined) continue
    const isBlank = line.trim() === ''
    // Indented code cannot interrupt a paragraph. In a list, indented lines belong to an item.
    if (/^ {0,3}\S/.test(line)) isInList = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line) || (isInList && !isAfterBlank)
    const isIndentedCode: boolean = isAfterBlank && !isInList && /^(?: {4}|\t)/.test(line)
    isAfterBlank = isBlank || isIndentedCode
    if (!isBlank && !isIndentedCode) lines.push(withoutCodeSpans(line.slice(0, MAX_LINE_CHARS)))
  }
  return lines
}

function withoutCodeSpans(line: string): string {
  return line.includes('`') ? line.replace(/(?<!`)(`{1,9})(?!`)[^`]{1,2000}\1(?!`)/g, ' ') : line
}
