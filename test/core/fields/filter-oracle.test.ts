import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type FieldFilter, type Fields, open } from '../../../core/index.ts'

const DAY = 86_400_000
const FIRST = Date.parse('2025-01-01T00:00:00Z')
const NOW = FIRST + 40 * DAY

const types = { color: 'keyword', price: 'number', stock: 'boolean', released: 'instant' } as const
type Name = keyof typeof types
const names = Object.keys(types) as Name[]

const values = {
  color: fc.constantFrom('', 'a', 'ab', 'b', 'a\uffff', '\uffffz', 'a\u{1f600}', 'é', 'a=k'),
  price: fc.constantFrom(-1.5, 0, 3, 3.5, 1e300),
  stock: fc.boolean(),
  released: fc.constantFrom(0, 1, 86_399_999, DAY, 1.5 * DAY, 30 * DAY).map(ms => new Date(FIRST + ms)),
} as const satisfies Record<Name, fc.Arbitrary<unknown>>

/** What one page was when it was acquired. Fields that first appear late are not known before. */
interface Observation {
  page: number
  day: number
  text: number
  fields: Fields
}

const fieldsArbitrary = fc
  .record(
    {
      color: fc.oneof(values.color, fc.uniqueArray(values.color, { minLength: 1, maxLength: 3 })),
      price: fc.oneof(values.price, fc.uniqueArray(values.price, { minLength: 1, maxLength: 3 })),
      stock: values.stock,
      released: values.released,
    },
    { requiredKeys: [] },
  )
  .map(fields => fields as Fields)

const observations = fc.uniqueArray(
  fc.record({
    page: fc.nat(4),
    day: fc.nat(20),
    text: fc.nat(1),
    fields: fieldsArbitrary,
  }),
  { minLength: 3, maxLength: 14, selector: ({ page, day }) => `${page} ${day}` },
)

/** One condition on a field: how a caller writes it, whether the value has another type than the field, and which values fulfill it. */
interface Case {
  field: string
  given: unknown
  isWrong: boolean
  fulfilledBy: (value: unknown) => boolean
}

const msOf = (value: unknown) => (value as Date).getTime()

/** A time of a filter, with the first and the last millisecond that it covers when asked as of an instant. */
interface Span {
  given: unknown
  from: (at: number) => number
  to: (at: number) => number
}

const spans: fc.Arbitrary<Span> = fc.oneof(
  values.released.chain((date): fc.Arbitrary<Span> => {
    const exactly = { from: () => date.getTime(), to: () => date.getTime() }
    const day = Math.floor(date.getTime() / DAY) * DAY
    return fc.constantFrom<Span>(
      { given: date, ...exactly },
      { given: { $date: date.toISOString() }, ...exactly },
      { given: date.toISOString(), ...exactly },
      { given: date.toISOString().slice(0, 10), from: () => day, to: () => day + DAY - 1 },
    )
  }),
  fc.constantFrom(1, 12, 36).map(
    (hours): Span => ({
      given: `${hours}h`,
      from: at => at - hours * 3_600_000,
      to: at => at - hours * 3_600_000,
    }),
  ),
)

const bounds = {
  lt: (a: number) => a < 0,
  lte: (a: number) => a <= 0,
  gt: (a: number) => a > 0,
  gte: (a: number) => a >= 0,
} as const
const boundName = fc.constantFrom('lt', 'lte', 'gt', 'gte')
const order = (a: unknown, b: unknown) => ((a as number) < (b as number) ? -1 : a === b ? 0 : 1)

/** @param at - the instant of the question, which deltas count from. */
function conditionOn(field: Name, at: number): fc.Arbitrary<Case> {
  const right = (given: unknown, fulfilledBy: Case['fulfilledBy']): Case => ({
    field,
    given,
    isWrong: false,
    fulfilledBy,
  })
  const wrong = (given: unknown): Case => ({ field, given, isWrong: true, fulfilledBy: () => false })
  const others = {
    color: fc.constantFrom<unknown>(1, true, new Date(FIRST), { lt: 3 }, { gte: new Date(FIRST) }, [1]),
    price: fc.constantFrom<unknown>('3', true, { lt: 'abc' }, { prefix: '3' }, { gt: new Date(FIRST) }, [3, '3']),
    stock: fc.constantFrom<unknown>('true', 1, { lt: 1 }, { gt: 'a' }, { prefix: 't' }, [true, 'false']),
    released: fc.constantFrom<unknown>(
      'garbage',
      FIRST,
      true,
      { gt: 'garbage' },
      { lt: FIRST },
      { gte: '2025-02-30' },
      { lt: '2w' },
      { prefix: '2025' },
    ),
  }[field]
  const exists = fc.constantFrom(right({ exists: true }, () => true))
  const ordinary: fc.Arbitrary<Case>[] = []
  if (field === 'released')
    ordinary.push(
      spans.map(({ given, from, to }) => right(given, value => msOf(value) >= from(at) && msOf(value) <= to(at))),
      fc.tuple(boundName, spans).map(([name, { given, from, to }]) => {
        const edge = name === 'gt' || name === 'lte' ? to : from
        return right({ [name]: given }, value => bounds[name](msOf(value) - edge(at)))
      }),
    )
  else {
    const one: fc.Arbitrary<unknown> = values[field]
    ordinary.push(
      one.map(given => right(given, value => value === given)),
      fc.array(one, { maxLength: 3 }).map(given => right(given, value => given.includes(value))),
    )
    if (field !== 'stock')
      ordinary.push(
        fc
          .tuple(boundName, one)
          .map(([name, given]) => right({ [name]: given }, value => bounds[name](order(value, given)))),
        fc
          .tuple(one, one)
          .map(([low, high]) =>
            right({ gt: low, lte: high }, value => order(value, low) > 0 && order(value, high) <= 0),
          ),
      )
    if (field === 'color')
      ordinary.push(values.color.map(prefix => right({ prefix }, value => (value as string).startsWith(prefix))))
  }
  return fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...ordinary) },
    { weight: 1, arbitrary: exists },
    {
      weight: 1,
      arbitrary: others.map(wrong),
    },
  )
}

interface Question {
  filter: FieldFilter
  cases: Case[]
  matches: (fields: Fields) => boolean
}

function questions(at: number): fc.Arbitrary<Question> {
  const one = fc
    .oneof(
      { weight: 12, arbitrary: fc.constantFrom(...names).chain(name => conditionOn(name, at)) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('colour', 'prise', 'nothing')
          .map((field): Case => ({ field, given: 1, isWrong: false, fulfilledBy: () => false })),
      },
    )
    .map(
      (single): Question => ({
        filter: { [single.field]: single.given } as FieldFilter,
        cases: [single],
        matches: fields => {
          const value = fields[single.field]
          const all = value === undefined ? [] : Array.isArray(value) ? value : [value]
          return all.some(single.fulfilledBy)
        },
      }),
    )
  const grouped = (kind: 'any' | 'all', parts: Question[]): Question => ({
    filter: { [kind]: parts.map(({ filter }) => filter) },
    cases: parts.flatMap(({ cases }) => cases),
    matches: fields => parts[kind === 'any' ? 'some' : 'every'](part => part.matches(fields)),
  })
  const negated = (part: Question): Question => ({
    ...part,
    filter: { not: part.filter },
    matches: fields => !part.matches(fields),
  })
  return fc.letrec<{ tree: Question }>(tie => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      one,
      fc
        .tuple(fc.constantFrom('any', 'all'), fc.array(tie('tree'), { maxLength: 4 }))
        .map(([kind, parts]) => grouped(kind, parts)),
      tie('tree').map(negated),
    ),
  })).tree
}

/** The fields of each page as of an instant, and the names of all fields that were seen up to then. */
function stateAt(all: readonly Observation[], at: number): { pages: Map<number, Fields>; known: Set<string> } {
  const pages = new Map<number, Fields>()
  const known = new Set<string>()
  for (const { page, day, fields } of all.toSorted((a, b) => a.day - b.day)) {
    if (FIRST + day * DAY > at) continue
    pages.set(page, fields)
    for (const name of Object.keys(fields)) known.add(name)
  }
  return { pages, known }
}

it('finds what a naive reading finds as of every instant, and says so if the question is wrong', async () => {
  const cases = fc
    .record({ all: observations, purged: fc.option(fc.nat(4)), day: fc.constantFrom(0, 3, 10, 20, 40) })
    .chain(({ all, purged, day }) =>
      fc.record({
        all: fc.constant(all),
        purged: fc.constant(purged),
        at: fc.constant(FIRST + day * DAY),
        asked: fc.array(questions(FIRST + day * DAY), { minLength: 10, maxLength: 10 }),
      }),
    )
  await fc.assert(
    fc.asyncProperty(cases, async ({ all, purged, at, asked }) => {
      const engine = await open(':memory:', { now: () => NOW })
      try {
        // In any order of time, a few in each commit.
        for (let at = 0; at < all.length; at += 5) {
          const captures = all.slice(at, at + 5).map(({ page, day, text, fields }) => ({
            url: `https://shop.example/${page}`,
            text: `A lamp, number ${page}, text ${text}.`,
            fields,
            acquiredAt: FIRST + day * DAY,
          }))
          expect((await engine.add(captures)).failures).toEqual([])
        }
        if (purged !== null) await engine.purge(`https://shop.example/${purged}`)
        const left = all.filter(({ page }) => page !== purged)
        const { pages, known } = stateAt(left, at)
        const { known: knownByNow } = stateAt(left, NOW)
        for (const { filter, cases, matches } of asked) {
          const search = engine.search('lamp', { mode: 'realtime', maxResults: 1_000, filter, queryTime: at })
          const wrong = cases.filter(({ field, isWrong }) => isWrong && known.has(field))
          if (wrong.length > 0) {
            const error = await search.then(
              () => undefined,
              (error: unknown) => error as { code: string; message: string; details: Record<string, unknown> },
            )
            expect(error).toMatchObject({ code: 'ASOF_INVALID_OPTION' })
            const named = wrong.find(({ field }) => error!.message.includes(`field ${field} is of type`))
            expect(named).toBeDefined()
            expect(error!.details.field).toContain(`.${named!.field}`)
            expect(error!.details.type).toBe(types[named!.field as Name])
            continue
          }
          const never = cases.find(({ field }) => !knownByNow.has(field))
          if (never && pages.size > 0) {
            await expect(search).rejects.toThrow(`.${never.field} names a field that no page ever had`)
            continue
          }
          const { results, warning = '' } = await search
          const found = results.map(({ url }) => Number(url.split('/').at(-1)))
          expect(found.sort()).toEqual([...pages].flatMap(([page, fields]) => (matches(fields) ? [page] : [])).sort())
          const unknown = new Set(cases.flatMap(({ field }) => (known.has(field) ? [] : [field])))
          const shown = [...unknown].filter(field => warning.includes(`no page has the field ${field} as of `))
          expect(shown).toHaveLength(Math.min(3, unknown.size))
          if (unknown.size === 0) expect(warning).not.toContain('filter')
        }
      } finally {
        await engine.close()
      }
    }),
    { numRuns: 6 },
  )
}, 60_000)
