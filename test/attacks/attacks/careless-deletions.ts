import type { Attack } from '../attack.ts'
import { ask, repeat } from '../call.ts'

/** Selections of a program with a misspelled name, a variable without a value, or a value that names more than was meant. */
const selections: readonly object[] = [
  {},
  { filter: {} },
  { filter: { not: { sise: 1 } } },
  { filter: { sise: { exists: false } } },
  { filter: { any: [{ id: 'id-1' }, { sise: { exists: false } }] } },
  { filter: { not: { id: 'no such value' } } },
  { filter: { all: [{ not: { size: { gt: 1_000_000_000 } } }] } },
  { filter: { id: { prefix: '' } } },
  { filter: { id: null } },
  { filter: { not: { id: [] } } },
  { filter: { any: [] } },
  { site: null },
  { site: '' },
  { site: 'example' },
  { site: 'com' },
  { prefix: '' },
  { prefix: 'https://' },
  { prefix: null, filter: null },
  { all: 'true' },
  { all: true, site: 'page1.example' },
  { urls: null },
]

/** Deletes pages as an administrator by selections that mean all of them by mistake. */
export const attack: Attack = {
  name: 'deletions by careless selections',
  run: ({ url, adminToken, localAddress, signal, note, breach }) =>
    repeat(signal, 1, async turn => {
      const body = JSON.stringify(selections[turn % selections.length])
      const act = Math.floor(turn / selections.length) % 2 === 0 ? 'purge' : 'remove'
      const headers = { authorization: `Bearer ${adminToken}` }
      const asked = { url: `${url}/admin/pages/${act}`, method: 'POST', headers, body, localAddress, signal }
      const { status, text } = await ask(asked)
      note(status)
      if (status === 200) breach(`a careless ${act} by ${body} was done: ${text}`)
    }),
}
