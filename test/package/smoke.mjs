/**
 * The newcomer's path: builds and packs asof, installs the tarball in an empty folder, and uses it from there as a
 * library, as types and as a command. Run by `npm run test:package`; needs the registry for the dependencies.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asof-package-'))
const app = join(folder, 'app')
mkdirSync(app)

function run(command, args, cwd = app) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    console.log(`FAILED  ${command} ${args.join(' ')}\n${error.stdout}`)
    throw error
  }
}

function step(name, work) {
  const startedMs = performance.now()
  work()
  console.log(`ok  ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`)
}

try {
  let tarball = ''
  step('builds and packs', () => {
    run('npm', ['run', 'build'], root)
    const [packed] = Object.values(
      JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)),
    )
    tarball = join(folder, packed.filename)
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      'dist/core/index.js',
      'dist/core/index.d.ts',
      'dist/transports/cli/main.js',
      'README.md',
      'LICENSE',
    ]) {
      assert.ok(paths.includes(path), `${path} is not in the package`)
    }
    const strays = paths.filter(
      path => /^(core|crawler|transports|test|bench)\//.test(path) || /\/generate-/.test(path),
    )
    assert.deepEqual(strays, [], 'files that do not belong in the package')
  })

  step('installs in an empty folder', () => {
    writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    run('npm', ['install', '--no-audit', '--no-fund', tarball])
  })

  step('runs the example of the README as it is printed there', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, example] = /^```ts\n(import \{ open \}[\s\S]*?)^```$/m.exec(readme)
    writeFileSync(join(app, 'example.js'), example)
    const promised = [...example.matchAll(/console\.log\(.*\) \/\/ *(.+)$/gm)].map(([, text]) => text)
    assert.deepEqual(run('node', ['example.js']).trimEnd().split('\n'), promised)
  })

  step('reads HTML in its worker pool and exits when closed', () => {
    writeFileSync(
      join(app, 'html.js'),
      `import { extract, open } from 'asof'
const engine = await open('./html-data')
await engine.add([{ url: 'https://example.com/', html: '<title>Rails</title><p>Night trains run again.' }])
console.log((await engine.search('night train')).results.map(({ title }) => title).join())
console.log((await extract('<title>Alone</title><p>Text.', { url: 'https://example.com/a' })).title)
await engine.close()
`,
    )
    assert.equal(run('node', ['html.js']), 'Rails\nAlone\n')
  })

  step('says which package a document needs that is not installed', () => {
    writeFileSync(
      join(app, 'document.js'),
      `import { extract } from 'asof'
const contentType = 'application/epub+zip'
const error = await extract(Buffer.from('PK'), { url: 'https://example.com/a.epub', contentType }).catch(error => error)
console.log(error.code, error.details.package)
`,
    )
    assert.equal(run('node', ['document.js']), 'ASOF_EXTRACT_LIBRARY_MISSING fflate\n')
  })

  step('offers every entry it names', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const entries = Object.keys(exports)
      .filter(entry => !entry.endsWith('.json'))
      .map(entry => entry.replace('.', 'asof'))
    writeFileSync(join(app, 'entries.js'), entries.map(entry => `import ${JSON.stringify(entry)}\n`).join(''))
    run('node', ['entries.js'])
    writeFileSync(
      join(app, 'types.ts'),
      `${entries.map((entry, i) => `import * as entry${i} from ${JSON.stringify(entry)}\nvoid entry${i}\n`).join('')}
import { open, type Engine, type SearchResult } from 'asof'
const engine: Engine = await open('./data', {})
const results: SearchResult[] = (await engine.search('a', { queryTime: '7d', mode: 'realtime' })).results
// @ts-expect-error a mode that does not exist
void engine.search('a', { mode: 'none' })
import { createClient, type SearchResponse } from 'asof/client'
const client = createClient({ url: 'http://127.0.0.1', key: 'asof_k' })
const found: Promise<SearchResponse> = client.search({ query: 'a', mode: 'pro' })
// @ts-expect-error a field that does not exist
void client.search({ query: 'a', page: 2 })
// @ts-expect-error neither key nor title
void createClient({ url: 'http://127.0.0.1' })
void found
void results
`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ]
    run('node', [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'types.ts'])
  })

  step('has a client that loads nothing but itself and the checks of options', () => {
    writeFileSync(
      join(app, 'client.js'),
      `import { ClientError, createClient } from 'asof/client'
const error = await createClient({ url: 'http://127.0.0.1:9', title: 'smoke' }).search({ query: 'a' }).catch(error => error)
console.log(error instanceof ClientError, error.error)
`,
    )
    const loaded = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) console.log(url.replace(/.*\\/(dist|app)\\//, '')); return next(url, context) } })
`
    writeFileSync(join(app, 'loaded.js'), loaded)
    const [verdict, ...files] = run('node', ['--import', './loaded.js', 'client.js']).trimEnd().split('\n').reverse()
    assert.equal(verdict, 'true connection_failed')
    const own = /^(transports\/client\/[a-z-]+|client|loaded)\.js$/
    const checks = /^core\/(errors|options|shown-value|unknown-name|text\/edit-distance)\.js$/
    assert.deepEqual(
      files.filter(file => !own.test(file) && !checks.test(file)),
      [],
      'the client loads more than itself and the checks of options',
    )
  })

  step('runs the command', () => {
    const asof = join(app, 'node_modules/.bin/asof')
    const stats = JSON.parse(run(asof, ['stats', '--data', 'data', '--json']))
    assert.deepEqual([stats.captures, stats.urls], [2, 1])
    const search = ['search', 'train ticket', '--data', 'data', '--json']
    const snippetOf = output => JSON.parse(output).results[0].snippet.replaceAll('**', '')
    assert.match(snippetOf(run(asof, search)), /25 euros/)
    assert.match(snippetOf(run(asof, [...search, '--query-time', '2025-03-01'])), /20 euros/)
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
