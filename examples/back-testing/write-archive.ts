/** Writes the archive as JSON lines for `asof import`, and its reports as judged queries for `asof evaluate`, into a folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from './world.ts'

/** The names of fields in lines to import. */
const lineNames: Readonly<Record<string, string>> = {
  publishedAt: 'published_at',
  acquiredAt: 'acquired_at',
  removedAt: 'removed_at',
}

const folder = process.argv[2] ?? 'archive'
const { archive, reports } = createWorld()
mkdirSync(folder, { recursive: true })
const write = (name: string, lines: string[]) => {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  console.log(`${join(folder, name)}: ${lines.length} lines`)
}
write(
  'archive.jsonl',
  archive.map(observation =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(observation).map(([name, value]) => [
          lineNames[name] ?? name,
          name.endsWith('At') ? new Date(value).toISOString() : value,
        ]),
      ),
    ),
  ),
)
write(
  'queries.jsonl',
  reports.map(({ query, mondayAt }, i) =>
    JSON.stringify({ _id: `q${i + 1}`, text: query, query_time: new Date(mondayAt).toISOString() }),
  ),
)
write(
  'qrels',
  reports.map(({ url }, i) => `q${i + 1} 0 ${url} 1`),
)
