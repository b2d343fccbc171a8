import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { callNames, calls } from '../service/index.ts'
import { storefrontPaths } from '../store/ways/plan-way.ts'
import { x402Paths } from '../store/ways/x402-way.ts'
import { keyedPaths } from '../transports/http/ways/keyed.ts'
import { browsingPaths, keylessPaths } from '../transports/http/ways/keyless.ts'
import type { CallPaths } from '../transports/http/ways/way.ts'

/**
 * Writes the table of calls and ways in in the document. Run: `npx node packaging/call-table.ts`. A test checks that the committed
 * document is current.
 */

export const document = path.resolve(import.meta.dirname, '../docs/http-api.md')

/** The columns of the table, each with the ways in that it shows. */
const columns: Readonly<Record<string, readonly CallPaths[]>> = {
  'With an API key': [keyedPaths],
  'Without a key': [keylessPaths, browsingPaths],
  'On a plan': [storefrontPaths],
  'Paid for by the request': [x402Paths],
}

function table(): string {
  const rows = callNames.map(name => {
    const paths = Object.values(columns).map(ways => {
      const way = ways.find(offered => offered.offers(name))
      return way ? `\`${way.path(name)}\`` : ''
    })
    return [name, calls[name].methods.map(method => `\`${method}\``).join(', '), ...paths]
  })
  const head = ['Call', 'Methods', ...Object.keys(columns)]
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return lines.join('\n').replaceAll('|  |', '| |').replaceAll('|  |', '| |')
}

/** Returns a document with the current table between `<!-- calls -->` and `<!-- end of calls -->`. */
export function withCallTable(text: string): string {
  return text.replace(
    /(<!-- calls -->\n\n).*?(\n\n<!-- end of calls -->)/s,
    (_, begin: string, end: string) => begin + table() + end,
  )
}

if (import.meta.main) writeFileSync(document, withCallTable(readFileSync(document, 'utf8')))
