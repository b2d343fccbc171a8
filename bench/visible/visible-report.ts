import type { SetPage } from './page-sets.ts'
import type { WordComparison } from './word-comparison.ts'

/** A page of a set, with its comparison or with the error that prevented one. */
export interface ComparedPage {
  page: SetPage
  comparison?: WordComparison
  error?: string
}

const MAX_WORDS = 40

/** Returns the report in Markdown: the invisible words by reason, and the missing words by rule. */
export function visibleReport(pages: readonly ComparedPage[], { words }: { words: boolean }): string {
  const comparisons = pages.flatMap(({ page, comparison }) => (comparison ? [{ page, ...comparison }] : []))
  const failed = pages.filter(({ error }) => error !== undefined)
  const sum = (number: (comparison: WordComparison) => number) =>
    comparisons.reduce((total, comparison) => total + number(comparison), 0)
  const empty = comparisons.filter(({ written, shown }) => written === 0 && shown > 0)
  const figures = (lists: 'invisible' | 'missing', total: number) => {
    const byKey = new Map<string, { count: number; pages: number; first: string[] }>()
    for (const { page, ...comparison } of comparisons) {
      for (const [key, list] of comparison[lists]) {
        const figure = byKey.get(key) ?? { count: 0, pages: 0, first: [] }
        byKey.set(key, figure)
        figure.count += list.length
        figure.pages++
        if (figure.first.length < MAX_WORDS) figure.first.push(`${page.set}/${page.id}: ${list.slice(0, 5).join(' ')}`)
      }
    }
    return [...byKey]
      .sort(([, a], [, b]) => b.count - a.count)
      .flatMap(([key, { count, pages: on, first }]) => {
        const row = `| ${key} | ${count} | ${((count / total) * 100).toFixed(2)} % | ${on} |`
        return words ? [row, ...first.map(line => `<!-- ${line} -->`)] : [row]
      })
  }
  const written = sum(comparison => comparison.written)
  const wanted = sum(comparison => comparison.wanted)
  return [
    `${comparisons.length} pages, ${sum(({ shown }) => shown)} visible words, ${written} words of Markdown; ${failed.length} pages failed.`,
    `Pages with visible words whose Markdown has none: ${empty.length}${empty.map(({ page }) => ` ${page.set}/${page.id}`).join('')}`,
    '',
    '| words of the Markdown that are invisible | words | share | pages |',
    '| --- | --- | --- | --- |',
    ...figures('invisible', written),
    '',
    '| visible words of the main content that are missing, by rule | words | share | pages |',
    '| --- | --- | --- | --- |',
    ...figures('missing', wanted),
    ...failed.slice(0, 10).map(({ page, error }) => `\nfailed: ${page.set}/${page.id}: ${error}`),
  ].join('\n')
}
