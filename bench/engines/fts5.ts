import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { contentLanes, fieldLanes, laneNames, ownLanes, type Question } from '../questions/question.ts'
import type { BenchEngine } from './engine.ts'

const version = new DatabaseSync(':memory:').prepare('SELECT sqlite_version() AS version').get()?.version

export const settings = `SQLite FTS5 (${version}, node:sqlite): columns title and text with their text stored, porter unicode61, bm25, detail full; WAL, synchronous FULL, one transaction an add; instants and hosts in a table beside, indexed`
export const persistent = true
export const lanes = laneNames.filter(lane => ![ownLanes, contentLanes, fieldLanes].some(lanes => lanes.has(lane)))

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(title, text, tokenize = 'porter unicode61');
  CREATE TABLE IF NOT EXISTS facts(number INTEGER PRIMARY KEY, url TEXT, site TEXT, acquired INTEGER, published INTEGER);
  CREATE INDEX IF NOT EXISTS acquired ON facts(acquired);
  CREATE INDEX IF NOT EXISTS published ON facts(published);
  CREATE INDEX IF NOT EXISTS site ON facts(site);`

export async function open(folder: string): Promise<BenchEngine> {
  const database = new DatabaseSync(join(folder, 'pages.sqlite'))
  database.exec(schema)
  const addPage = database.prepare('INSERT INTO pages(rowid, title, text) VALUES (?, ?, ?)')
  const addFacts = database.prepare('INSERT INTO facts VALUES (?, ?, ?, ?, ?)')
  const plain = database.prepare('SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?')
  const filtered = database.prepare(`
    SELECT pages.rowid FROM pages JOIN facts ON facts.number = pages.rowid
    WHERE pages MATCH ? AND acquired BETWEEN ? AND ? AND (? OR published BETWEEN ? AND ?) AND (? OR site = ?)
    ORDER BY rank LIMIT ?`)
  return {
    async add(pages) {
      database.exec('BEGIN')
      for (const { number, url, title, text, acquiredAt, publishedAt } of pages) {
        addPage.run(number, title, text)
        addFacts.run(number, url, new URL(url).hostname, acquiredAt, publishedAt ?? null)
      }
      database.exec('COMMIT')
    },
    search(question) {
      const match = matchOf(question)
      const { limit, instant, acquired, published, site } = question
      if (instant === undefined && !acquired && !published && site === undefined)
        return plain.all(match, limit).map(idOf)
      const [from, to] = acquired ?? [0, instant ?? Number.MAX_SAFE_INTEGER]
      const [publishedFrom, publishedTo] = published ?? [0, 0]
      const anyDate = Number(published === undefined)
      const anySite = Number(site === undefined)
      return filtered.all(match, from, to, anyDate, publishedFrom, publishedTo, anySite, site ?? '', limit).map(idOf)
    },
    async indexBytes() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      const size = database
        .prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name GLOB 'pages_*' AND name <> 'pages_content'")
        .get()
      return Number(size?.bytes)
    },
    close: async () => database.close(),
  }
}

const idOf = ({ rowid }: Record<string, unknown>) => rowid

function matchOf({ form, words }: Question): string {
  return form === 'phrase'
    ? `"${words.join(' ')}"`
    : words.map(word => `"${word}"`).join(form === 'and' ? ' AND ' : ' OR ')
}
