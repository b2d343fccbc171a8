import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { HistoryResponse } from '../../../../service/index.ts'
import { historyText } from '../../../../transports/cli/output/history-text.ts'

const at = (day: string) => `2025-${day}T00:00:00.000Z`
const history: HistoryResponse = {
  url: 'https://example.com/price',
  versions: [
    {
      kind: 'capture',
      at: at('01-10'),
      last_seen_at: at('01-10'),
      superseded_at: at('06-10'),
      title: 'Train tickets',
      published_at: at('01-09'),
      changed: [],
    },
    {
      kind: 'capture',
      at: at('06-10'),
      last_seen_at: at('06-11'),
      superseded_at: at('07-01'),
      title: `${'A title without an end '.repeat(9)}\u001b[2J`,
      published_at: at('06-09'),
      changed: ['title', 'text', 'published_at', 'author', 'description', 'lang', 'site_name', 'kind', 'data'],
    },
    { kind: 'removal', at: at('07-01'), last_seen_at: at('07-01'), superseded_at: at('08-01'), title: '', changed: [] },
    { kind: 'capture', at: at('08-01'), last_seen_at: at('08-01'), title: 'Train tickets', changed: [] },
  ],
}

it('lists each version with its time and what it changed, within 80 columns and without control characters', () => {
  const text = historyText(history, { color: false, isContinued: false })
  expect(text.split('\n')).toEqual([
    'https://example.com/price',
    'from                      until                     changed',
    '2025-01-10T00:00:00.000Z  2025-06-10T00:00:00.000Z  first version',
    '  Train tickets, published 2025-01-09',
    '2025-06-10T00:00:00.000Z  2025-07-01T00:00:00.000Z  title, text, published_at,',
    '                                                    author, description, lang,',
    '                                                    site_name, kind, data',
    '  A title without an end A title without an end A title w…, published 2025-06-09',
    '2025-07-01T00:00:00.000Z  2025-08-01T00:00:00.000Z  removed',
    '2025-08-01T00:00:00.000Z  current                   back, unchanged',
    '  Train tickets',
  ])
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
})

it('says how to continue, and calls nothing the first version that is not', () => {
  const [, , , last] = history.versions
  const part = { ...history, versions: [last!], next: '1 https://example.com/price' }
  const text = historyText(part, { color: false, isContinued: true })
  expect(text).not.toContain('first version')
  expect(text).toContain(`There are more versions. To list them: --after '1 https://example.com/price'`)
})

it('quotes the cursor so that a shell runs nothing that the URL of a page holds', () => {
  const next = "1 https://example.com/$(id)`id`'x"
  const text = historyText({ ...history, next }, { color: false, isContinued: false })
  const words = execFileSync('/bin/sh', ['-c', `printf '%s' ${text.split('--after ')[1]}`], { encoding: 'utf8' })
  expect(words).toBe(next)
})
