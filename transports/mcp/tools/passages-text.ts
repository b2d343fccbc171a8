import { type PassagesResponse, printable, printableLine } from '../../../service/index.ts'
import { quoteUntrusted, untrustedNote } from './untrusted-text.ts'

type Passage = PassagesResponse['passages'][number]

/** Returns passages as text for a model: title, URL and dates of each page, then its passages with what is above them. */
export function passagesForModel({ passages, warning }: PassagesResponse, boundary: string): string {
  const notice = warning === undefined ? [] : [`Note: ${printableLine(warning)}`]
  if (passages.length === 0)
    return [
      ...notice,
      'No passages. Try other or fewer words, or drop a filter: site, the time windows or query_time.',
    ].join('\n')
  const byPage = Map.groupBy(passages, ({ url }) => url)
  const blocks = [...byPage.values()].map((ofPage, index) => pageText(ofPage, index + 1))
  return [...notice, untrustedNote, quoteUntrusted(blocks.join('\n\n'), boundary)].join('\n')
}

function pageText(passages: readonly Passage[], number: number): string {
  const [first] = passages
  if (!first) return ''
  const { title, url, published_at, acquired_at } = first
  const published = published_at === undefined ? 'publish date unknown' : `published ${published_at}`
  const head = `${number}. ${printableLine(title) || '(untitled)'}\n${printableLine(url)}\n${published}, indexed ${acquired_at}`
  return [head, ...passages.map(passageText)].join('\n\n')
}

function passageText({ context, text, citation }: Passage): string {
  const lines = context.length > 0 ? [`[${printableLine(context.join(' › '))}]`] : []
  lines.push(printable(text))
  if (citation) lines.push(`cite as: ${printableLine(citation.text)}`)
  return lines.join('\n')
}
