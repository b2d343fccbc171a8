import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clusterPackages, s3Packages } from '../../cluster/cluster-packages.ts'
import consoleJson from '../../console/package.json' with { type: 'json' }
import coreJson from '../../core/package.json' with { type: 'json' }
import { archivePackages } from '../../crawler/files/warc-package.ts'
import { databasePackages } from '../../database/database-packages.ts'
import encoderJson from '../../encoder/package.json' with { type: 'json' }
import { documentPackages } from '../../extract/documents/document-packages.ts'
import type { OptionalPackages } from '../../extract/errors/optional-packages.ts'
import { oldNodeMessage } from '../../extract/node-version.ts'
import extractJson from '../../extract/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { publishedManifest } from '../../packaging/compiled-packages.ts'
import { onnxPackages } from '../../service/local-models/onnx-packages.ts'
import { modelPackages } from '../../service/models/model-packages.ts'
import { paymentPackages } from '../../store/payments/open-payments.ts'
import { regionPackages } from '../../store/payments/region.ts'
import { cardPackages, mppPackages } from '../../store/purchases/open-purchases.ts'
import { proofPackages } from '../../store/wallet-proof/open-wallet-proof.ts'

const root = resolve(import.meta.dirname, '../..')
const sourceOf = (built: string) => built.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, '.ts')

/** Returns the names of the packages that the sources in some folders import. */
function importedBy(folders: string): Set<string> {
  const sources = globSync(`${folders}/**/*.ts`, { cwd: root })
  return new Set(
    sources.flatMap(path => {
      const specifiers = readFileSync(join(root, path), 'utf8').matchAll(
        /\b(?:from|import|\w+OfPackage(?:<.*>)?) ?\(?'([^'.][^']*)'/g,
      )
      return [...specifiers].map(([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
    }),
  )
}

interface Pinned {
  dependencies: Record<string, string>
  devDependencies?: Record<string, string>
}

const built = [
  ...Object.values(packageJson.exports)
    .filter(entry => typeof entry === 'object')
    .map(entry => entry.default),
  ...Object.values(packageJson.bin),
]

describe('the package asof', () => {
  for (const file of built) {
    it(`has a source for ${file}`, () => {
      expect(existsSync(join(root, sourceOf(file)))).toBe(true)
    })
  }

  it('packs every folder and file it lists', () => {
    const listed = packageJson.files.filter(path => path !== 'dist' && !path.startsWith('!'))
    expect(listed.filter(path => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('all packages', () => {
  it.each([
    ['asof', packageJson],
    ['@asof/core', coreJson],
    ['@asof/encoder', encoderJson],
    ['@asof/extract', extractJson],
  ])('%s pins every dependency to one version', (_, manifest) => {
    const { dependencies, devDependencies = {} }: Pinned = manifest
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(([, range]) => !/^\d/.test(range))
    expect(loose).toEqual([])
  })

  it.each([
    ['asof', packageJson, '{cluster,crawler,service,store,transports}'],
    ['@asof/core', coreJson, 'core'],
    ['@asof/encoder', encoderJson, 'encoder'],
    ['@asof/extract', extractJson, 'extract'],
  ])('%s depends only on packages that its code imports', (_, { dependencies }, folders) => {
    const imported = importedBy(folders)
    expect(Object.keys(dependencies).filter(name => !imported.has(name))).toEqual([])
  })

  it('depend on the same versions of packages that several of them import', () => {
    const all = [packageJson, coreJson, encoderJson, extractJson].flatMap(({ dependencies }) =>
      Object.entries(dependencies),
    )
    const versions = new Map(all)
    expect(all.filter(([name, version]) => versions.get(name) !== version)).toEqual([])
  })

  it('require the version of Node.js that the error message for older versions names', () => {
    expect(publishedManifest(coreJson, packageJson).engines).toEqual(packageJson.engines)
    const oldest = packageJson.engines.node.replace('>=', '')
    expect(oldNodeMessage(`${oldest}.0`)).toBeUndefined()
    expect(oldNodeMessage('25.0.0')).toBeUndefined()
    for (const version of ['18.20.8', '20.19.5', '22.18.0'])
      expect(oldNodeMessage(version)).toContain(`Node.js ${oldest} or newer, and this is Node.js ${version}`)
  })
})

it.each([coreJson, encoderJson, extractJson])(
  '$name is published with compiled entries and without development files',
  sources => {
    const manifest = publishedManifest(sources, packageJson)
    expect(manifest).toMatchObject({
      name: sources.name,
      exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
      dependencies: sources.dependencies,
    })
    expect(JSON.parse(JSON.stringify(manifest))).not.toHaveProperty('repository')
    expect(manifest).not.toHaveProperty('private')
    expect(manifest).not.toHaveProperty('devDependencies')
  },
)

it('all packages are published with the address that the package.json of asof names, each with its folder', () => {
  const repository = { type: 'git', url: 'git+https://git.example/owner/asof.git' }
  const author = 'Ada Lund'
  expect(publishedManifest(coreJson, { ...packageJson, repository, author })).toMatchObject({
    author,
    repository: { ...repository, directory: 'core' },
    publishConfig: { access: 'public', provenance: true },
  })
})

it('no published package has a script that npm runs after an installation', () => {
  const lifecycle = ['preinstall', 'install', 'postinstall', 'prepare']
  const published = [coreJson, encoderJson, extractJson].map(sources => publishedManifest(sources, packageJson).scripts)
  const scripts = Object.assign({}, packageJson.scripts, ...published)
  expect(lifecycle.filter(name => name in scripts)).toEqual([])
  expect(consoleJson).toMatchObject({ private: true, scripts: { prepare: expect.stringContaining('prepare.mjs') } })
})

it('the lock file does not say which Node.js packages ask for (npm run lock:plain removes it)', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const asking = Object.entries<{ engines?: object }>(packages).filter(([path, { engines }]) => path !== '' && engines)
  expect(asking.map(([path]) => path)).toEqual([])
})

describe('optional packages', () => {
  const groups: OptionalPackages[] = [
    documentPackages,
    clusterPackages,
    s3Packages,
    archivePackages,
    modelPackages,
    paymentPackages,
    mppPackages,
    cardPackages,
    proofPackages,
    regionPackages,
    databasePackages,
    onnxPackages,
    { feature: 'Rendering pages', install: ['playwright-core@1'] },
  ]
  // Not the flags of the command.
  const printed = groups.flatMap(group => group.install).filter(text => !text.startsWith('-'))
  const peers: Record<string, string> = packageJson.peerDependencies

  it('are exactly those that the printed commands install', () => {
    const names = printed.map(text => text.replace(/@[^@]+$/, ''))
    expect([...new Set(names)].sort()).toEqual(Object.keys(peers).sort())
  })

  it.each(printed)('%s installs a version that every package accepts', text => {
    const [, name = '', version] = /^(.+)@([^@]+)$/.exec(text) ?? []
    expect(peers[name]).toMatch(new RegExp(`^\\^${version}(?:\\.|$)`))
    const ofExtract: Record<string, string> = extractJson.peerDependencies
    expect(ofExtract[name] ?? peers[name]).toBe(peers[name])
  })

  it.each([
    ['asof', packageJson],
    ['@asof/extract', extractJson],
  ])('of %s are not installed by default', (_, { peerDependencies, peerDependenciesMeta }) => {
    const meta: Record<string, { optional: boolean }> = peerDependenciesMeta
    expect(Object.keys(peerDependencies).filter(name => !meta[name]?.optional)).toEqual([])
  })

  it('are all installed in a clone of the repository, except one of 288 MB', () => {
    const installed = Object.keys(peers).filter(name => name !== 'onnxruntime-node')
    expect(packageJson.devDependencies).toMatchObject(
      Object.fromEntries(installed.map(name => [name, expect.any(String)])),
    )
  })
})
