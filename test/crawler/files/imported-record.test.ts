import { describe, expect, it } from 'vitest'
import { documentUrl } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importCsv } from '../../../crawler/files/import-csv.ts'
import { importJson } from '../../../crawler/files/import-json.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

const lines = (...records: object[]) => chunks(records.map(record => `${JSON.stringify(record)}\n`).join(''))

/** The URL and the text of each page. */
async function pages(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const line of exportJsonl(engine)) {
    const { url } = JSON.parse(line)
    const page = await engine.page(url)
    if (page) found[url] = page.markdown
  }
  return found
}

describe('a record with an id in place of an address', () => {
  it('is a document of its own, in JSON Lines, JSON and CSV alike', async () => {
    const records = [
      { id: 'p1', text: 'one' },
      { id: 7, text: 'two' },
      { id: 'Größe 7/a', text: 'three' },
      { id: '007', text: 'four' },
    ]
    const expected = { 'doc:p1': 'one', 'doc:7': 'two', 'doc:Gr%C3%B6%C3%9Fe%207/a': 'three', 'doc:007': 'four' }
    expect(await importJsonl(engine, lines(...records))).toMatchObject({ added: 4, failed: 0, unknownFields: [] })
    expect(await pages()).toEqual(expected)
    // The same documents again, from the other formats, change nothing.
    const csv = `id,text\n${records.map(({ id, text }) => `${id},${text}`).join('\n')}\n`
    for (const report of [
      await importJson(engine, chunks(JSON.stringify(records))),
      await importCsv(engine, chunks(csv)),
    ])
      expect(report).toMatchObject({ added: 0, unchanged: 4, failed: 0, unknownFields: [] })
    expect(await pages()).toEqual(expected)
    expect((await engine.page(documentUrl('Größe 7/a')))?.markdown).toBe('three')
  })

  it('is a new version of the document with that id, and removes it', async () => {
    await importJsonl(engine, lines({ id: 'p1', text: 'one', acquired_at: 1000 }))
    await importCsv(engine, chunks('id,text,acquired_at\np1,two,1970-01-01T00:00:02Z\n'))
    expect((await engine.page('doc:p1', { queryTime: 1500 }))?.markdown).toBe('one')
    expect((await engine.page('doc:p1', { queryTime: 2500 }))?.markdown).toBe('two')
    await importJsonl(engine, lines({ id: 'p1', removed_at: 3000 }))
    expect(await engine.page('doc:p1', { queryTime: 3500 })).toBeUndefined()
  })

  it('has its address beside it if there is one, and an id of nothing names nothing', async () => {
    const report = await importJsonl(
      engine,
      lines(
        { id: 'p1', url: 'https://a.org/', text: 'one' },
        { id: 'p2', url: null, text: 'two' },
        { id: '', text: 'three' },
        { id: null, text: 'four' },
        { id: true, text: 'five' },
      ),
    )
    expect(await pages()).toEqual({ 'https://a.org/': 'one', 'doc:p2': 'two' })
    expect(report).toMatchObject({ read: 5, added: 2, failed: 3 })
  })

  it('is refused if its id is a number that is not exact, of which two would be one document', async () => {
    const report = await importJsonl(
      engine,
      chunks(
        '{"id":9007199254740993,"text":"one"}\n{"id":9007199254740992,"text":"two"}\n{"id":"9007199254740993","text":"three"}\n',
      ),
    )
    expect(await pages()).toEqual({ 'doc:9007199254740993': 'three' })
    expect(report).toMatchObject({ added: 1, failed: 2 })
    expect(report.failures.map(({ message }) => message)).toEqual([
      expect.stringContaining('id'),
      expect.stringContaining('id'),
    ])
  })

  it('comes back from an export as it was', async () => {
    await importJsonl(engine, lines({ id: 'a b', text: 'one', acquired_at: 1000 }))
    const exported: string[] = []
    for await (const line of exportJsonl(engine)) exported.push(line)
    await engine.purge(documentUrl('a b'))
    expect(await pages()).toEqual({})
    expect(await importJsonl(engine, chunks(exported.join('\n')))).toMatchObject({ added: 1, failed: 0 })
    expect(await pages()).toEqual({ 'doc:a%20b': 'one' })
  })
})
