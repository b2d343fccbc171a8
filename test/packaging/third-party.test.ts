import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { noticesOf, thirdParties } from '../../packaging/third-party.ts'

const root = resolve(import.meta.dirname, '../..')
/** A text without its layout, which Markdown and the notices may change. */
const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('the console', () => {
  it('is built with the license of every package that its scripts contain', async () => {
    const built = await build({
      configFile: join(root, 'console/vite.config.ts'),
      logLevel: 'silent',
      build: { write: false },
    })
    if (!('output' in built)) throw new TypeError('the console has more than one build')
    const modules = built.output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
    const folders = modules.flatMap(
      id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0] ?? [],
    )
    const packages = [...new Set(folders)]
    expect(packages.map(folder => folder.replace(/.*\/node_modules\//, ''))).toEqual(
      expect.arrayContaining(['preact', 'uplot', 'markdown-it', 'linkify-it', 'mdurl', 'uc.micro', 'diff']),
    )
    const notices = built.output.find(({ fileName }) => fileName === 'third-party-notices.md')
    const text = words(notices?.type === 'asset' ? String(notices.source) : '')
    for (const folder of packages) {
      const [license] = readdirSync(folder).filter(name => /^licen[cs]e/i.test(name))
      expect(license, `${folder} has a license`).toBeDefined()
      expect(text.includes(words(readFileSync(join(folder, license ?? ''), 'utf8'))), folder).toBe(true)
    }
  })
})

describe.each(Object.entries(thirdParties))('the notices of @asof/%s', (_, parties) => {
  it('have the license of each work, and name files that exist', () => {
    const notices = noticesOf(parties)
    for (const { name, places, license } of parties) {
      expect(license(), name).toMatch(/Copyright/i)
      expect(license().length, name).toBeGreaterThan(1000)
      expect(notices).toContain(`\n## ${name}\n`)
      expect(notices).toContain(license())
      // The folder of packages is made when asof is packed.
      expect(places.filter(place => !existsSync(join(root, place)) && !place.includes('/packages/'))).toEqual([])
    }
  })
})

it('every file that is generated from the data of others has a notice', () => {
  const noticed = Object.values(thirdParties).flatMap(parties => parties.flatMap(({ places }) => places))
  const generated = globSync('{core,encoder,extract}/**/*.generated.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  const unnoticed = generated
    .map(path => path.replaceAll('\\', '/'))
    // The kernels are compiled from C sources of asof.
    .filter(path => !existsSync(join(root, path.replace(/\.generated\.ts$/, '.c'))))
    .filter(path => !noticed.some(place => path === place || path.startsWith(`${place}/`)))
  expect(generated.length).toBeGreaterThan(3)
  expect(unnoticed).toEqual([])
})
