import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corpusOfSeeds, loadCorpus, parseCorpus } from '../../../crawler/corpus/corpus.ts'

const invalid = (definition: unknown) => {
  try {
    parseCorpus(definition)
    return 'valid'
  } catch (error) {
    const { code, details } = error as { code: string; details: { issues: { path: string }[] } }
    return `${code} ${details.issues[0]?.path}`
  }
}

describe('parseCorpus', () => {
  it('needs only a name and seeds; the scope defaults to the hosts of the seeds', () => {
    expect(parseCorpus({ name: 'docs', seeds: ['https://a.org/'] }).scope).toEqual({ type: 'host' })
  })
  it.each([
    [{ name: 'Bad Name', seeds: ['https://a.org/'] }, 'name'],
    [{ name: '../up', seeds: ['https://a.org/'] }, 'name'],
    [{ name: 'a', seeds: [] }, 'seeds'],
    [{ name: 'a', seeds: ['file:///etc/passwd'] }, 'seeds[0]'],
    [{ name: 'a', seeds: ['https://a.org/'], maxPages: 0 }, 'maxPages'],
    [{ name: 'a', seeds: ['https://a.org/'], userAgent: '1 bad\r\nx: y' }, 'userAgent'],
    [{ name: 'a', seeds: ['https://a.org/'], scope: { type: 'host', include: ['docs'] } }, 'scope.include[0]'],
    [{ name: 'a', seeds: ['https://a.org/'], unknown: 1 }, 'unknown'],
    [{ name: 'a', seeds: ['https://a.org/'], fields: { price: 'offers.price' } }, 'fields.price'],
    [
      { name: 'a', seeds: ['https://a.org/'], fields: { price: { from: 'css: p[', type: 'number' } } },
      'fields.price.from',
    ],
    [{ name: 'a', seeds: ['https://a.org/'], fields: { price: { from: 'css: p', type: 'texts' } } }, 'fields.price'],
    [null, ''],
  ])('rejects %j because of the field "%s"', (definition, path) => {
    expect(invalid(definition)).toBe(`ASOF_CORPUS_INVALID ${path}`)
  })
})

describe('loadCorpus', () => {
  it('loads a JSON file, and throws ASOF_CORPUS_INVALID if it cannot be read or parsed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'asof-corpus-'))
    const file = join(dir, 'c.json')
    await writeFile(file, '{"name":"c","seeds":["https://a.org/"],"maxDepth":2}')
    expect((await loadCorpus(file)).maxDepth).toBe(2)
    await writeFile(file, '{"name":')
    await expect(loadCorpus(file)).rejects.toMatchObject({ code: 'ASOF_CORPUS_INVALID' })
    await expect(loadCorpus(join(dir, 'none.json'))).rejects.toMatchObject({ code: 'ASOF_CORPUS_INVALID' })
    await rm(dir, { recursive: true })
  })
})

describe('corpusOfSeeds', () => {
  it('derives the name from the set of seeds, whatever their order', () => {
    const [a, b, c] = [
      ['https://a.org/', 'https://b.org/'],
      ['https://b.org/', 'https://a.org/'],
      ['https://a.org/'],
    ].map(seeds => corpusOfSeeds(seeds).name.slice(-12))
    expect(a).toBe(b)
    expect(a).not.toBe(c)
    expect(() => corpusOfSeeds([])).toThrow()
    expect(() => corpusOfSeeds(['http://[::1]:80/'])).not.toThrow()
  })
})
