import type { AddReport } from '@asof/core'
import { type ImportTarget, jsonLine, withTextBody } from '../../crawler/index.ts'
import type { AdditionResponse, Client } from '../client/index.ts'

/** Maximum size of the lines of one request, in UTF-16 units. A server accepts 64 MiB of UTF-8, and a unit has at most three bytes. */
const MAX_UNITS = 16 * 1024 * 1024

/**
 * Returns the index of a server as the target of an import. The server extracts the pages. Its content is not read, so a revisit in a web
 * archive whose content is only in that index is reported as unresolved.
 */
export function remoteTarget(client: Pick<Client, 'addPages'>): ImportTarget {
  return {
    add: async observations => {
      const total = noChanges()
      const lines = observations.map(observation => jsonLine(withTextBody(observation)))
      for (const body of bodiesOf(lines)) count(total, await client.addPages(body))
      return total
    },
    page: async () => undefined,
  }
}

function noChanges(): AddReport {
  return { added: 0, revised: 0, unchanged: 0, removed: 0, failures: [], withoutText: [], replaced: [], warnings: [] }
}

/** Adds what a server did to a report. */
function count(total: AddReport, { added, revised, unchanged, removed, failures, warnings }: AdditionResponse): void {
  total.added += added
  total.revised += revised
  total.unchanged += unchanged
  total.removed += removed
  total.failures.push(...failures.map(({ url = '', code, message }) => ({ url, code, message })))
  total.warnings.push(...warnings.map(({ url, field, message }) => ({ url, field, reason: message })))
}

/** Divides lines into groups that fit into a request. */
function* bodiesOf(lines: readonly string[]): Generator<string[]> {
  let body: string[] = []
  let units = 0
  for (const line of lines) {
    if (body.length > 0 && units + line.length > MAX_UNITS) {
      yield body
      body = []
      units = 0
    }
    body.push(line)
    units += line.length
  }
  if (body.length > 0) yield body
}
