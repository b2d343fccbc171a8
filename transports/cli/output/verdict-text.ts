import { printable, type VerifyResponse } from '../../../service/index.ts'
import { wrap } from './wrapped-text.ts'

type Verdict = VerifyResponse['verdicts'][number]

const headlines: Record<Verdict['verdict'], string> = {
  verbatim: 'The page has the quote, word by word.',
  contradicted: 'The page says something else.',
  reworded: 'The page has other words.',
  gone: 'The page does not have the quote.',
  unknown_page: 'The index never had the page.',
}

function quoted(text: string): string {
  return text === '' ? 'nothing' : `“${printable(text).replace(/\s+/g, ' ')}”`
}

/** Returns a verdict on a quote as text for people. */
export function verdictText({
  verdict,
  instant,
  acquired_at,
  passage,
  differences = [],
  stood,
  read_from,
}: Verdict): string {
  const lines = [`${headlines[verdict]} (as of ${instant}${acquired_at ? `, text of ${acquired_at}` : ''})`]
  if (passage) lines.push(`passage: ${quoted(passage.text)}`)
  for (const { quote, page, contradicts } of differences)
    lines.push(
      `${contradicts ? `another ${contradicts}: ` : ''}the quote has ${quoted(quote)}, the page ${quoted(page)}`,
    )
  for (const { from, until } of stood)
    lines.push(`the page had the quote from ${from} ${until ? `until ${until}` : 'on'}`)
  if (verdict !== 'unknown_page' && stood.length === 0)
    lines.push(
      `the page never had the quote${read_from ? `, as far as its history was read: from ${read_from} on` : ''}`,
    )
  return lines.map(line => wrap(line)).join('\n')
}
