import { indexStored } from '@asof/core/internal'
import { type TermChanges, termChanges } from '../terms/term-changes.ts'
import { AND } from '../terms/terms-text.ts'
import { isInVocabulary } from '../terms/vocabulary.ts'
import { type Examined, REINDEX, settle, unlessDamaged } from './examined.ts'

const CAPTURES_AT_ONCE = 200
/** A sample has this number of runs of neighboring captures, and this number of captures in each run. */
const SAMPLE = { places: 40, captures: 25 }
/** Maximum number of captures that a finding names. */
const MAX_NAMED = 5
/** Number of times that a difference is read before it is reported, because servers may write meanwhile. */
const MAX_READS = 3

/** Captures by what is wrong with them. */
interface Faults {
  /** Captures of which a stored value is damaged or missing. */
  damaged: number[]
  /** Captures whose document in OpenSearch differs from the one that follows from PostgreSQL. */
  differing: number[]
  /** Captures with a term that the vocabulary lacks, or has only from a later instant on. */
  unknown: { id: number; term: string }[]
}

interface CapturesExamination {
  /** False to take a sample. */
  all: boolean
  /** False if OpenSearch has no documents to compare with. */
  isReadable: boolean
  /** Called with the number of captures compared so far, and the number of captures to compare. */
  onProgress: ((compared: number, captures: number) => void) | undefined
}

/**
 * Makes the documents of captures again from PostgreSQL, and compares them with those in OpenSearch. Returns the number of captures compared.
 */
export async function examineCaptures(
  examined: Examined,
  { all, isReadable, onProgress }: CapturesExamination,
): Promise<number> {
  const { add, sql, state } = examined
  const faults: Faults = { damaged: [], differing: [], unknown: [] }
  const [{ captures }] = await sql<[{ captures: number }]>`select count(*) as captures from capture`
  const isAll = all || captures <= SAMPLE.places * SAMPLE.captures
  const total = isAll ? captures : SAMPLE.places * SAMPLE.captures
  let compared = 0
  for await (const ids of isAll ? allIds(examined) : sampledIds(examined, state.nextCaptureId)) {
    await examineSome(examined, ids, { faults, isReadable })
    compared += ids.length
    onProgress?.(compared, total)
  }
  const list = (ids: readonly number[]): string =>
    `${ids.length} (${ids.slice(0, MAX_NAMED).join(', ')}${ids.length > MAX_NAMED ? ', …' : ''})`
  const { damaged, differing, unknown } = faults
  if (damaged.length > 0)
    add(
      `what is stored of captures is damaged or missing: ${list(damaged)} of ${compared}`,
      'restore a backup of PostgreSQL, and of the object store if there is one',
    )
  if (differing.length > 0)
    add(`the documents of captures in OpenSearch are missing or wrong: ${list(differing)} of ${compared}`, REINDEX)
  if (unknown.length > 0)
    add(
      `the vocabulary in PostgreSQL lacks terms of captures, or has them too late: ${list(unknown.map(({ id }) => id))}, such as ${JSON.stringify(unknown[0]!.term)}`,
      'restore a backup of PostgreSQL',
    )
  return compared
}

async function* allIds({ sql }: Examined): AsyncGenerator<number[]> {
  for (let after = 0; ; ) {
    const rows = await sql<{ id: number }[]>`
      select id from capture where id > ${after} order by id limit ${CAPTURES_AT_ONCE}`
    if (rows.length === 0) return
    yield rows.map(({ id }) => id)
    after = rows.at(-1)!.id
  }
}

/** Yields runs of captures with neighboring numbers, which begin at random numbers. */
async function* sampledIds({ sql }: Examined, nextCaptureId: number): AsyncGenerator<number[]> {
  for (let place = 0; place < SAMPLE.places; place++) {
    const from = Math.floor(((place + Math.random()) / SAMPLE.places) * nextCaptureId)
    const rows = await sql<{ id: number }[]>`
      select id from capture where id >= ${from} order by id limit ${SAMPLE.captures}`
    if (rows.length > 0) yield rows.map(({ id }) => id)
  }
}

async function examineSome(
  examined: Examined,
  ids: readonly number[],
  { faults, isReadable }: { faults: Faults; isReadable: boolean },
): Promise<void> {
  const made = await documentsOf(examined, ids, faults)
  for (const { id, term } of await unknownTerms(examined, made)) faults.unknown.push({ id, term })
  if (!isReadable) return
  let differing = await differingOf(examined, ids, made, faults)
  for (let i = 1; i < MAX_READS && differing.length > 0; i++) {
    const again = await documentsOf(examined, differing, faults)
    await settle(examined)
    differing = await differingOf(examined, differing, again, faults)
  }
  faults.differing.push(...differing)
}

type Document = TermChanges['added'][number] & { all: readonly string[] }

/** Makes the documents of captures again. Adds damaged captures to `faults`. */
async function documentsOf({ pages, sql }: Examined, ids: readonly number[], faults: Faults): Promise<Document[]> {
  const make = async (some: readonly number[]): Promise<Document[]> => {
    const captures = await indexStored(await pages.captures(some, new Set(some)))
    const terms = new Map(captures.map(({ captureId, occurrences }) => [captureId, occurrences?.terms ?? []]))
    return termChanges(captures, []).added.map(document => ({ ...document, all: terms.get(document.id)! }))
  }
  const made = (await unlessDamaged(() => make(ids))) ?? []
  const isMade = new Set(made.map(({ id }) => id))
  for (const id of ids.filter(one => !isMade.has(one))) {
    const alone = await unlessDamaged(() => make([id]))
    if (alone?.length) made.push(...alone)
    else if (!faults.damaged.includes(id)) {
      const [row] = await sql`select id from capture where id = ${id}`
      // Without a row the capture was deleted meanwhile.
      if (row) faults.damaged.push(id)
    }
  }
  return made
}

/** Returns the captures whose documents are missing or wrong, and those that have a document but are not in PostgreSQL. */
async function differingOf(
  { client, index, sql }: Examined,
  ids: readonly number[],
  made: readonly Document[],
  { damaged }: Faults,
): Promise<number[]> {
  const { body } = await client.mget({ index, body: { ids: ids.map(String) } })
  const docs = body.docs as unknown as { _id: string; _source?: Record<string, unknown> }[]
  const found = new Map(docs.map(({ _id, _source }) => [Number(_id), _source]))
  const rows = await sql<{ id: number; supersededAt: number }[]>`
    select id, superseded_at as "supersededAt" from capture where id = any(${[...ids]}::bigint[])`
  const superseded = new Map(rows.map(({ id, supersededAt }) => [id, supersededAt]))
  const byId = new Map(made.map(document => [document.id, document]))
  return ids.filter(id => {
    if (damaged.includes(id)) return false
    const wanted = byId.get(id)
    const source = found.get(id)
    if (!wanted || !source) return Boolean(wanted) !== Boolean(source)
    return (
      wanted.supersededAt !== superseded.get(id) ||
      plain.some(name => JSON.stringify(source[name] ?? null) !== JSON.stringify(wanted[name] ?? null)) ||
      slotsOf(source.terms) !== slotsOf(wanted.terms) ||
      listOf(source.misplaced) !== listOf(wanted.misplaced)
    )
  })
}

/** The fields of a document that must be equal byte for byte. */
const plain = [
  ...(['url', 'length', 'acquiredAt', 'supersededAt', 'publishedAt', 'values'] as const),
  ...(['revisedAt', 'revisedValues', 'revisedOften'] as const),
]

/** Sorts the terms at each position of a text, so that texts can be compared: terms at the same position have no order. */
function slotsOf(terms: unknown): string {
  return String(terms)
    .split(' ')
    .map(slot => slot.split(AND).sort().join(AND))
    .join(' ')
}

function listOf(terms: unknown): string {
  return String(terms).split(' ').sort().join(' ')
}

/** Returns the terms of captures that the vocabulary lacks, or has only from a later instant on; at most one term of each capture. */
async function unknownTerms({ sql }: Examined, made: readonly Document[]): Promise<{ id: number; term: string }[]> {
  const all = new Set(made.flatMap(document => document.all.filter(isInVocabulary)))
  const first = new Map<string, number>()
  const bytes = [...all].map(term => Buffer.from(term))
  for (let from = 0; from < bytes.length; from += 5_000) {
    const rows = await sql<{ term: Buffer; firstAt: number }[]>`
      select term, first_at as "firstAt" from vocabulary where term in ${sql(bytes.slice(from, from + 5_000))}`
    for (const { term, firstAt } of rows) first.set(term.toString(), firstAt)
  }
  const lacking = made.flatMap(({ id, acquiredAt, all: terms }) => {
    const term = terms.find(one => all.has(one) && !(first.get(one)! <= acquiredAt))
    return term === undefined ? [] : [{ id, term }]
  })
  if (lacking.length === 0) return []
  // A capture may have been deleted meanwhile, and its terms with it.
  const rows = await sql<{ id: number }[]>`select id from capture where id in ${sql(lacking.map(({ id }) => id))}`
  const present = new Set(rows.map(({ id }) => id))
  return lacking.filter(({ id }) => present.has(id))
}
