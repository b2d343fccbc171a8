import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const sourceOf = (built: string) => built.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, '.ts')

const built = [
  ...Object.values(packageJson.exports)
    .filter(entry => typeof entry === 'object')
    .map(entry => entry.default),
  ...Object.values(packageJson.bin),
]

describe('the package', () => {
  for (const file of built) {
    it(`has a source for ${file}`, () => {
      expect(existsSync(join(root, sourceOf(file)))).toBe(true)
    })
  }

  it('pins every dependency to one version', () => {
    const { dependencies, devDependencies } = packageJson
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(([, range]) => !/^\d/.test(range))
    expect(loose).toEqual([])
  })

  it('depends on nothing that its code does not import', () => {
    const sources = globSync('{core,crawler,transports}/**/*.ts', { cwd: root })
    const imported = new Set(
      sources.flatMap(path => {
        const specifiers = readFileSync(join(root, path), 'utf8').matchAll(
          /\b(?:from|import|\w+OfPackage(?:<.*>)?) ?\(?'([^'.][^']*)'/g,
        )
        return [...specifiers].map(([, specifier]) => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0])
      }),
    )
    expect(Object.keys(packageJson.dependencies).filter(name => !imported.has(name))).toEqual([])
  })

  it('packs every folder and file it lists', () => {
    const missing = packageJson.files.filter(path => path !== 'dist' && !existsSync(join(root, path)))
    expect(missing).toEqual([])
  })
})
