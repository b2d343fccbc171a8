import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importJson } from '../../../crawler/files/import-json.ts'
import { MAX_RECORD_BYTES } from '../../../crawler/files/import-records.ts'
import { jsonElements } from '../../../crawler/files/json-elements.ts'
import { parseExactJson } from '../../../extract/structured/exact-json.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

const records = [
  { url: 'https://a.org/', text: 'A "brace" } and ] in a text \\', title: 'Ü ☃' },
  { url: 'https://b.org/', text: 'B' },
]

/** The values of the records in a text, or the message of the error for each. */
async function valuesIn(text: string | Uint8Array, size?: number) {
  const values: [where: string, value: unknown][] = []
  for await (const { where, read } of jsonElements(chunks(text, size))) {
    try {
      values.push([where, read()])
    } catch (error) {
      values.push([where, (error as Error).message])
    }
  }
  return values
}

describe('JSON import', () => {
  it.each([
    ['an array', JSON.stringify(records)],
    ['an array over several lines, with a byte order mark', `\ufeff\n${JSON.stringify(records, null, 2)}\n`],
    ['records that follow each other', records.map(record => JSON.stringify(record, null, 1)).join('\n')],
    ['records with nothing between them', records.map(record => JSON.stringify(record)).join('')],
  ])('reads %s, however the bytes are cut', async (_, text) => {
    for (const size of [1, 2, 5, 10_000]) {
      expect((await valuesIn(text, size)).map(([, value]) => value)).toEqual(records)
    }
    expect(await importJson(engine, chunks(text))).toMatchObject({ read: 2, added: 2, failed: 0 })
    expect(await engine.page('https://a.org/')).toMatchObject({
      title: 'Ü ☃',
      markdown: expect.stringContaining('brace'),
    })
  })

  it('reads a single record', async () => {
    expect(await importJson(engine, chunks(JSON.stringify(records[0])))).toMatchObject({ read: 1, added: 1 })
  })

  it('reports each wrong record by the line in which it begins, and imports the others', async () => {
    const text = `[\n{"url": "https://a.org/", "text": "A"},\n7,\n"x", null,\n{"url": bad},\n{"url": "https://b.org/",\n "text": "B"}\n]\n{}`
    const report = await importJson(engine, chunks(text))
    expect(report).toMatchObject({ read: 7, added: 2, failed: 5 })
    expect(report.failures.map(({ where, message }) => [where, message])).toEqual([
      ['line 3', 'record: must be a JSON object'],
      ['line 4', 'record: must be a JSON object'],
      ['line 4', 'record: must be a JSON object'],
      ['line 5', 'the record is not valid JSON'],
      ['line 9', 'the record follows the end of the array'],
    ])
  })

  it('reports input that ends too early', async () => {
    expect(await valuesIn('[{"a": 1},\n{"b": ')).toEqual([
      ['line 1', { a: 1 }],
      ['line 2', 'the input ends inside this record'],
    ])
    expect(await valuesIn('[{"a": 1},\n')).toEqual([
      ['line 1', { a: 1 }],
      ['line 2', 'the input ends inside the array'],
    ])
    expect(await valuesIn('')).toEqual([])
  })

  it('rejects a record over 32 MiB without keeping it in memory, and imports the next', async () => {
    async function* source() {
      yield Buffer.from('[{"text": "')
      const part = Buffer.alloc(1024 * 1024, 'x')
      for (let size = 0; size <= MAX_RECORD_BYTES; size += part.length) yield part
      yield Buffer.from('"}, {"url": "https://a.org/", "text": "A"}]')
    }
    const report = await importJson(engine, source())
    expect(report).toMatchObject({ read: 2, added: 1, failures: [{ message: expect.stringContaining('longer than') }] })
  })

  it('finds exactly the elements of any array', async () => {
    const array = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(array, fc.nat(12), fc.integer({ min: 1, max: 9 }), async (values, indent, size) => {
        const found = await valuesIn(JSON.stringify(values, null, indent), size)
        expect(found.map(([, value]) => value)).toEqual(parseExactJson(JSON.stringify(values)))
      }),
    )
  })

  it('accepts any bytes, with a report that adds up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map(text => Buffer.from(text)),
        ),
        async bytes => {
          const { read, added, revised, unchanged, failed } = await importJson(engine, chunks(bytes))
          expect(added + revised + unchanged + failed).toBe(read)
        },
      ),
      { numRuns: 50 },
    )
  })
})
