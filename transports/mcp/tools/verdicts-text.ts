import { printableLine, type VerifyRequest, type VerifyResponse } from '../../../service/index.ts'
import { quoteUntrusted, untrustedNote } from './untrusted-text.ts'

/** A verdict as an agent sees it. Long lists are cut. */
export type ShownVerdict = VerifyResponse['verdicts'][number] & {
  /** Number of earlier intervals that are left out. */
  earlier_left_out?: number | undefined
  /** Number of further differences that are left out. */
  differences_left_out?: number | undefined
}

/** Returns verdicts on quotes as text for a model: for each quote the verdict, when the page had it, and what the page says. */
export function verdictsText(
  quotes: VerifyRequest['quotes'],
  verdicts: readonly ShownVerdict[],
  boundary: string,
): string {
  const blocks = verdicts.map((verdict, i) => verdictText(i + 1, quotes[i]?.quote ?? '', verdict, boundary))
  return [untrustedNote, ...blocks].join('\n\n')
}

function verdictText(number: number, quote: string, verdict: ShownVerdict, boundary: string): string {
  const { instant, acquired_at, stood, earlier_left_out, read_from, passage, differences = [] } = verdict
  const facts = acquired_at ? `as of ${instant}, page indexed ${acquired_at}` : `as of ${instant}`
  const times = stood.map(({ from, until }) => (until ? `${from} until ${until}` : `since ${from}`)).join('; ')
  const never = verdict.verdict === 'unknown_page' ? [] : ['The page never had the quote verbatim.']
  const had = times === '' ? never : [`The page had the quote verbatim: ${times}.`]
  const page = [printableLine(verdict.url)]
  if (passage) page.push(`passage: ${printableLine(passage.text)}`)
  for (const { quote, page: has, contradicts } of differences) {
    const kind = contradicts ? `another ${contradicts}: ` : ''
    page.push(`${kind}instead of “${printableLine(quote)}” the page has “${printableLine(has)}”`)
  }
  const lines = [`${number}. ${verdict.verdict} (${facts}): “${printableLine(quote)}”`, ...had]
  if (earlier_left_out) lines.push(`${earlier_left_out} earlier times are left out.`)
  if (read_from) lines.push(`The history was only read from ${read_from} on.`)
  lines.push(quoteUntrusted(page.join('\n'), boundary))
  if (verdict.differences_left_out) lines.push(`${verdict.differences_left_out} more differences are left out.`)
  return lines.join('\n')
}
