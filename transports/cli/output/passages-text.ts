import { type PassagesResponse, printable, printableLine } from '../../../service/index.ts'
import { textStyle } from './text-style.ts'
import { wrap } from './wrapped-text.ts'

const INDENT = '   '

/**
 * Returns passages as text for people: title, URL and dates of each page, then its passages, each after what is above it. The lines of
 * passages are as long as on the page.
 *
 * @param asOf - the instant of an answer about the past, epoch ms, which comes first. Default: the answer is as of now.
 */
export function passagesText(
  { passages, chars, tokens, warning }: PassagesResponse,
  color: boolean,
  asOf?: number,
): string {
  const { strong, faint } = textStyle(color)
  const pages = [...Map.groupBy(passages, ({ url }) => url).values()].map((ofPage, index) => {
    const [{ title = '', url = '', published_at, acquired_at } = {}] = ofPage
    const published = published_at === undefined ? 'undated' : `published ${published_at.slice(0, 10)}`
    const head = [
      wrap(strong(printableLine(title) || '(untitled)'), `${index + 1}. `, INDENT),
      `${INDENT}${printable(url)}`,
      INDENT + faint(`${published}, indexed ${acquired_at}`),
    ]
    const parts = ofPage.map(({ context, text, citation }) => {
      const lines = context.length > 0 ? [faint(printableLine(context.join(' › ')))] : []
      lines.push(...printable(text).split('\n'))
      if (citation) lines.push(printable(citation.text))
      return lines.map(line => (INDENT + line).trimEnd()).join('\n')
    })
    return [head.join('\n'), ...parts].join('\n\n')
  })
  return [
    asOf !== undefined && `as of ${new Date(asOf).toISOString()}`,
    warning !== undefined && wrap(`warning: ${printable(warning)}`),
    ...pages,
    passages.length === 0 ? 'no passages' : `${chars} characters, about ${tokens} tokens`,
  ]
    .filter(part => part !== false)
    .join('\n\n')
}
