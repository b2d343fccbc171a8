import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  keyText,
  pagesOf,
  type RecordKey,
  type RecordStore,
  type RecordTable,
  recordPosition,
} from '../../../service/records/records.ts'

interface Visit {
  id: string
  /** Undefined for a visit that is over. */
  day?: number
  guest?: string
  text?: string
}

export const visits: RecordTable<Visit, 'day' | 'guest'> = {
  name: 'visit',
  id: ({ id }) => [id],
  keys: {
    day: ({ day }) => (day === undefined ? undefined : [day]),
    guest: ({ guest, day = 0 }) => (guest === undefined ? undefined : [guest, day]),
  },
}
/** A kind without further keys, whose ids have two parts. */
export const pairs: RecordTable<{ id: RecordKey; count: number }, never> = {
  name: 'pair',
  id: ({ id }) => id,
  keys: {},
}

/** Texts of which each two are different, although a store that mistreats some character could take one for another. */
const odd = [
  '',
  ' ',
  '%',
  '%0000',
  '%002f',
  '/',
  '//',
  '0',
  '\u0000',
  '\u0000\u0000',
  '\u007f',
  '\ud800',
  '\ud801',
  '\udc00',
  '\ufffd',
  '\uffff',
  'a',
  'a/b',
  'a/',
  '/a',
  "a'b",
  'a"b',
  'a\\b',
  '\\',
  'é',
  'e\u0301',
  '🫖',
  '{a,b}',
  'null',
]

const idsOf = (found: readonly Visit[]) => found.map(({ id }) => id)

/**
 * What every store of records does.
 *
 * @param create - opens a new, empty store with the kinds of this file, as one process or as several that share it.
 */
export function recordStoreContract(
  where: string,
  create: () => Promise<{ stores: RecordStore[]; remove(): Promise<void> }>,
): void {
  describe(`records ${where}`, () => {
    let stores: RecordStore[]
    let records: RecordStore
    let remove: () => Promise<void>
    beforeEach(async () => {
      ;({ stores, remove } = await create())
      records = stores[0]!
    })
    afterEach(() => remove())

    /** The store that a call uses: another one for each number, if there are several. */
    const storeOf = (n: number) => stores[n % stores.length]!
    const put = (...given: Visit[]) => records.change(change => change.put(visits, ...given))

    it('are found as they were stored, with every character', async () => {
      const visit = { id: 'a', day: 1, text: odd.join('') }
      expect(await records.find(visits, ['a'])).toBeUndefined()
      await put(visit)
      expect(await records.find(visits, ['a'])).toEqual(visit)
      const found = await records.findAll(visits, [['b'], ['a'], ['c']])
      expect(found).toEqual([visit])
      expect(await records.findAll(visits, [])).toEqual([])
    })

    it('have ids and keys of any characters, and none is taken for another', async () => {
      await put(...odd.map(id => ({ id, guest: id })))
      expect(await records.count(visits)).toBe(odd.length)
      expect(new Set(idsOf(await records.list(visits, { limit: 100 })))).toEqual(new Set(odd))
      expect(new Set(idsOf(await records.list(visits, { by: 'guest', limit: 100 })))).toEqual(new Set(odd))
      for (const id of odd) {
        expect(await records.find(visits, [id])).toEqual({ id, guest: id })
        expect(idsOf(await records.list(visits, { by: 'guest', under: [id], limit: 100 }))).toEqual([id])
      }
      for (const id of odd) {
        expect(await records.change(change => change.add(visits, { id }))).toBe(false)
        await records.change(change => change.delete(visits, [id]))
        expect(await records.find(visits, [id])).toBeUndefined()
      }
      expect(await records.list(visits, { by: 'guest', limit: 100 })).toEqual([])
    })

    it('have ids of several parts, which are not the same as one part', async () => {
      const ids: RecordKey[] = [[], ['a', 'b'], ['a/b'], ['a', ''], ['a'], ['', 'a'], [1], [1, 2], [12]]
      await records.change(async change => {
        for (const [count, id] of ids.entries()) await change.put(pairs, { id, count })
      })
      for (const [count, id] of ids.entries()) expect((await records.find(pairs, id))?.count).toBe(count)
    })

    it('reject numbers that have no place in the order', async () => {
      for (const day of [-1, 0.5, Number.NaN, 2 ** 53]) await expect(put({ id: 'a', day })).rejects.toThrow(TypeError)
      expect(await records.count(visits)).toBe(0)
    })

    it('are listed in the order of a key and then of the id, also several under an equal key', async () => {
      await put(
        { id: 'c', day: 9 },
        { id: 'b', day: 10 },
        { id: 'a', day: 9 },
        { id: 'd' },
        { id: 'e', day: Number.MAX_SAFE_INTEGER },
        { id: 'f', day: 0 },
      )
      const list = (range: object) => records.list(visits, { by: 'day', limit: 100, ...range })
      expect(idsOf(await list({}))).toEqual(['f', 'a', 'c', 'b', 'e'])
      expect(idsOf(await list({ reverse: true }))).toEqual(['e', 'b', 'c', 'a', 'f'])
      expect(idsOf(await list({ limit: 2 }))).toEqual(['f', 'a'])
      expect(idsOf(await list({ limit: 2, reverse: true }))).toEqual(['e', 'b'])
      expect(idsOf(await list({ after: keyText([9]) }))).toEqual(['a', 'c', 'b', 'e'])
      expect(idsOf(await list({ after: recordPosition(visits, 'day', { id: 'a', day: 9 }) }))).toEqual(['c', 'b', 'e'])
      expect(idsOf(await list({ under: [9] }))).toEqual(['a', 'c'])
      expect(idsOf(await records.list(visits, { limit: 100 }))).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
      expect(idsOf(await records.list(visits, { limit: 2, reverse: true }))).toEqual(['f', 'e'])
    })

    it('are listed under the first part of a key alone, and not under a longer text', async () => {
      await put(
        { id: '1', guest: 'a', day: 2 },
        { id: '2', guest: 'a', day: 1 },
        { id: '3', guest: 'a0' },
        { id: '4', guest: 'a!' },
        { id: '5', guest: 'a/b' },
        { id: '6', guest: 'b' },
      )
      expect(idsOf(await records.list(visits, { by: 'guest', under: ['a'], limit: 100 }))).toEqual(['2', '1'])
      expect(idsOf(await records.list(visits, { by: 'guest', under: ['a', 2], limit: 100 }))).toEqual(['1'])
      expect(idsOf(await records.list(visits, { by: 'guest', under: ['c'], limit: 100 }))).toEqual([])
    })

    it('move with their keys when they are stored again, and leave nothing when they are deleted', async () => {
      await put({ id: 'a', day: 1, guest: 'x' })
      await put({ id: 'a', day: 2 })
      const byDay = (day: number) => records.list(visits, { by: 'day', under: [day], limit: 9 })
      expect([await byDay(1), await byDay(2)]).toEqual([[], [{ id: 'a', day: 2 }]])
      expect(await records.list(visits, { by: 'guest', limit: 9 })).toEqual([])
      await put({ id: 'a', day: 2, text: 'new' })
      expect(await byDay(2)).toEqual([{ id: 'a', day: 2, text: 'new' }])
      await put({ id: 'a' })
      expect(await records.list(visits, { by: 'day', limit: 9 })).toEqual([])
      expect(await records.count(visits)).toBe(1)
      await put({ id: 'a', day: 1 })
      await records.change(change => change.delete(visits, ['a']))
      expect(await records.list(visits, { by: 'day', limit: 9 })).toEqual([])
      expect(await records.list(visits, { limit: 9 })).toEqual([])
      await records.change(change => change.delete(visits, ['a']))
    })

    it('are stored, found and deleted several at a time', async () => {
      const three = [{ id: 'b', day: 1 }, { id: 'a' }, { id: 'c', day: 0, guest: 'x' }]
      await records.change(async change => {
        await change.put(visits)
        await change.put(visits, { id: 'a', day: 5, guest: 'y' }, { id: 'd' })
        await change.put(visits, ...three)
        const found = await change.findAll(visits, [['c'], ['a'], ['e'], ['b']])
        expect(new Set(idsOf(found))).toEqual(new Set(['a', 'b', 'c']))
        expect(await change.findAll(visits, [])).toEqual([])
      })
      expect(await records.findAll(visits, [['a']])).toEqual([{ id: 'a' }])
      expect(idsOf(await records.list(visits, { by: 'day', limit: 9 }))).toEqual(['c', 'b'])
      expect(idsOf(await records.list(visits, { by: 'guest', limit: 9 }))).toEqual(['c'])
      await records.change(async change => {
        await change.delete(visits)
        await change.delete(visits, ['c'], ['e'], ['a'])
      })
      expect(idsOf(await records.list(visits, { limit: 9 }))).toEqual(['b', 'd'])
    })

    it('are given to one of many changes that add them at once', async () => {
      for (let round = 0; round < 5; round++) {
        const added = await Promise.all(
          Array.from({ length: 30 }, (_, n) =>
            storeOf(n).change(change => change.add(visits, { id: `${round}`, day: round, guest: `${n}` })),
          ),
        )
        expect(added.filter(Boolean)).toHaveLength(1)
        expect((await records.find(visits, [`${round}`]))?.guest).toBe(`${added.indexOf(true)}`)
      }
      expect(await records.list(visits, { by: 'guest', limit: 100 })).toHaveLength(5)
    })

    it('are changed by one change after another, so that none is lost', async () => {
      await records.change(change => change.put(pairs, { id: ['n'], count: 0 }))
      await Promise.all(
        Array.from({ length: 120 }, (_, n) =>
          storeOf(n).change(async change => {
            const { count } = (await change.find(pairs, ['n']))!
            await change.put(pairs, { id: ['n'], count: count + 1 })
            await change.put(visits, { id: `${count}`, day: count })
          }),
        ),
      )
      expect((await records.find(pairs, ['n']))?.count).toBe(120)
      expect(await records.list(visits, { by: 'day', limit: 1_000 })).toHaveLength(120)
    })

    it('see in a change what it has written, and nobody else does before it has ended', async () => {
      await put({ id: 'a', day: 1 })
      await records.change(async change => {
        await change.put(visits, { id: 'a', day: 2 })
        expect(await change.add(visits, { id: 'b', day: 3 })).toBe(true)
        expect(await change.add(visits, { id: 'b', day: 4 })).toBe(false)
        expect(await change.find(visits, ['a'])).toEqual({ id: 'a', day: 2 })
        expect(await records.find(visits, ['a'])).toEqual({ id: 'a', day: 1 })
        await change.delete(visits, ['b'])
        expect(await change.find(visits, ['b'])).toBeUndefined()
        expect(await change.add(visits, { id: 'b', day: 5 })).toBe(true)
        expect(await records.count(visits)).toBe(1)
      })
      expect(await records.list(visits, { by: 'day', limit: 9 })).toEqual([
        { id: 'a', day: 2 },
        { id: 'b', day: 5 },
      ])
    })

    it('are not changed at all by a change that fails, and later changes succeed', async () => {
      await put({ id: 'a', day: 1 })
      const failing = records.change(async change => {
        await change.put(visits, { id: 'a', day: 2 })
        await change.put(visits, { id: 'b', day: 3 })
        throw new RangeError('no')
      })
      const next = records.change(change => change.add(visits, { id: 'b' }))
      await expect(failing).rejects.toThrow(RangeError)
      expect(await next).toBe(true)
      expect(await records.list(visits, { by: 'day', limit: 9 })).toEqual([{ id: 'a', day: 1 }])
    })

    it('are read a page at a time, with those that are stored meanwhile', async () => {
      const many = Array.from({ length: 2_345 }, (_, n) => ({ id: `${n}`, day: n % 100 }))
      for (let n = 0; n < many.length; n += 500) await put(...many.slice(n, n + 500))
      const sizes: number[] = []
      const seen: Visit[] = []
      for await (const page of pagesOf(records, visits, { by: 'day' })) {
        if (seen.length === 0) await put({ id: 'late', day: 99 }, { id: 'too late', day: 0 })
        // Those that were read may be gone before the next page is.
        await records.change(change => change.delete(visits, ...page.map(visits.id)))
        sizes.push(page.length)
        seen.push(...page)
      }
      expect(sizes).toEqual([1_000, 1_000, 346])
      expect(new Set(idsOf(seen))).toEqual(new Set([...idsOf(many), 'late']))
      expect(seen.map(({ day }) => day)).toEqual(seen.map(({ day }) => day).toSorted((a, b) => a! - b!))
      expect(idsOf(await records.list(visits, { limit: 9 }))).toEqual(['too late'])
      const pages: number[] = []
      await put(...many.slice(0, 5))
      for await (const page of pagesOf(records, visits, { limit: 2 })) pages.push(page.length)
      expect(pages).toEqual([2, 2, 2])
    })

    it('are locked by one request at a time, under any name', async () => {
      const locks = await Promise.all(stores.map(store => store.locks('visit')))
      const lockOf = (n: number) => locks[n % locks.length]!
      for (const name of odd) {
        const taken = await Promise.all(Array.from({ length: 6 }, (_, n) => lockOf(n).lock(name)))
        expect(taken.filter(Boolean)).toHaveLength(1)
        const owner = lockOf(taken.indexOf(true))
        for (const each of locks) expect(await each.isLocked(name)).toBe(true)
        for (const each of locks) expect(await each.isLockedHere(name)).toBe(each === owner)
        await owner.change(name, change => change.put(visits, { id: name }))
        await owner.unlock(name)
        for (const each of locks) expect(await each.isLocked(name)).toBe(false)
      }
      expect(await records.count(visits)).toBe(odd.length)
    })

    it('are changed without a lock only if nobody has it, and nobody gets it meanwhile', async () => {
      const [a, b] = [await storeOf(0).locks('visit'), await storeOf(1).locks('visit')]
      await a.lock('a')
      expect(await b.changeUnlocked('a', change => change.add(visits, { id: 'a' }))).toBeUndefined()
      await a.unlock('a')
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
      const changed = b.changeUnlocked('a', async change => {
        begin()
        await mayEnd
        return await change.add(visits, { id: 'a' })
      })
      await begun
      let isLocked = false
      const locked = a.lock('a').then(async taken => {
        isLocked = true
        return taken && (await records.find(visits, ['a']))
      })
      expect(await Promise.race([locked, records.find(visits, ['a'])])).toBeUndefined()
      expect(isLocked).toBe(false)
      end()
      expect(await changed).toBe(true)
      expect(await locked).toEqual({ id: 'a' })
    })
  })
}
