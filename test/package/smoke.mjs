/**
 * Follows the path of a new user: builds and packs the packages, installs the tarballs in empty folders, and uses them as a
 * library, as types, in bundles and as a command, without optional packages and then with some. Run by
 * `npm run test:package`; needs the registry for the dependencies. With `-- --next` it also builds an application of Next.js,
 * which is 400 MB.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { pdf } from '../extract/documents/made-files.ts'
import { isAsShown, Reader, stepsOf } from '../house/typed-page.ts'
import { checkBundlers, checkNext, checkWholeBundles } from './bundlers.mjs'
import { installedPackages, megabytesOf } from './installed.mjs'
import { checkTestRunners } from './test-runners.mjs'
import { checkTypes, entriesOf } from './types.mjs'

/** Limits of an installation: number of packages, including asof, and megabytes on disk. */
const limits = {
  extract: { packages: 20, megabytes: 10 },
  encoder: { packages: 20, megabytes: 10 },
  core: { packages: 36, megabytes: 30 },
  asof: { packages: 100, megabytes: 90 },
}
/** Limit of the processor time for importing the extraction alone, milliseconds. */
const IMPORT_MS = 500

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asof-package-'))
const extractApp = join(folder, 'extract-app')
const encoderApp = join(folder, 'encoder-app')
const coreApp = join(folder, 'core-app')
const app = join(folder, 'app')
const asof = join(app, 'node_modules/.bin/asof')
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ASOF|X402)_/.test(name)))

/** Runs a program until it exits. @returns its output and its exit code. */
async function outcome(command, args, { cwd = app, env = {} } = {}) {
  const options = { cwd, env: { ...environment, ...env }, maxBuffer: 1 << 26 }
  try {
    return { ...(await promisify(execFile)(command, args, options)), code: 0 }
  } catch (error) {
    if (typeof error.code !== 'number') throw error
    return { stdout: error.stdout, stderr: error.stderr, code: error.code }
  }
}

/** Runs a program that must succeed. @returns its standard output. */
async function run(command, args, options) {
  const { stdout, stderr, code } = await outcome(command, args, options)
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with code ${code}\n${stdout}\n${stderr}`)
}

/** Runs a module in the folder of an installation. @returns its output. */
async function runModule(text, cwd = app) {
  writeFileSync(join(cwd, 'module.js'), text)
  return await run('node', ['module.js'], { cwd })
}

async function step(name, work) {
  const startedMs = performance.now()
  const note = await work()
  console.log(`ok  ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)${note ? `: ${note}` : ''}`)
}

/** Returns the paths in a tarball, without the folder `package`. */
async function pathsIn(tarball) {
  const listed = await run('tar', ['-tf', tarball], { cwd: folder })
  return listed.split('\n').map(path => path.replace(/^package\//, ''))
}

/** Runs branches at the same time, since an installation waits for the network. @throws the first failure, once all have ended. */
async function together(...branches) {
  const ended = await Promise.allSettled(branches.map(branch => branch()))
  for (const { reason } of ended.filter(({ status }) => status === 'rejected')) throw reason
}

async function install(target, ...packages) {
  if (!existsSync(target)) {
    mkdirSync(target)
    writeFileSync(join(target, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  }
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: target })
}

/** Fails if an installation is too large. @returns a description of its size. */
function sizeOf(target, limit) {
  const packages = installedPackages(target)
  const megabytes = megabytesOf(join(target, 'node_modules'))
  const size = `${packages.length} packages, ${megabytes.toFixed(1)} MB`
  assert.ok(packages.length <= limit.packages, `${size}: more than ${limit.packages} packages`)
  assert.ok(megabytes <= limit.megabytes, `${size}: more than ${limit.megabytes} MB`)
  return size
}

/** Returns the first Node.js in PATH that is too old for asof, or undefined if there is none. */
async function oldNode() {
  for (const place of process.env.PATH.split(delimiter)) {
    const node = join(place, 'node')
    if (place.includes('node_modules') || !existsSync(node)) continue
    const [major, minor] = (await run(node, ['--version'], { cwd: folder })).slice(1).split('.').map(Number)
    if (major < 22 || (major === 22 && minor < 19)) return node
  }
  return undefined
}

const example = /^```ts\n(import \{ open \}[\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8'))[1]
const documentTypes = `const kinds = ['application/pdf', 'application/epub+zip']
for (const contentType of kinds) {
  const url = 'https://example.com/document'
  const error = await extract(Buffer.from('PK'), { url, contentType }).catch(error => error)
  console.log(error.code, error.details.package, error.message.replace(/.* Run: /, ''))
}
`
const missingDocuments = `ASOF_EXTRACT_LIBRARY_MISSING unpdf npm install unpdf@1 fflate@0.8 mammoth@1
ASOF_EXTRACT_LIBRARY_MISSING fflate npm install unpdf@1 fflate@0.8 mammoth@1
`
/** Uses the threads and processes that the engine starts by file name, and the language model in the package. */
const pages = `const engine = await open('./pages')
const text = 'La nuit, les trains roulent encore dans toute la France et les voyageurs dorment dans leurs couchettes.'
await engine.add([{ url: 'https://example.com/', html: '<title>Trains</title><p>' + text }])
await engine.add(Array.from({ length: 40 }, (_, i) => ({ url: 'https://example.com/' + i, text: 'Night train ' + i })))
console.log((await engine.search('voyageur')).results.map(({ title, language }) => title).join())
await engine.backup('./copy')
await engine.close()
const copy = await open('./copy')
console.log((await copy.search('train', { maxResults: 50 })).results.length)
await copy.close()
console.log((await extract('<title>Alone</title><p>Text.', { url: 'https://example.com/a' })).title)
`
const foundPages = 'Trains\n41\nAlone\n'

let extractTarball = ''
let encoderTarball = ''
let coreTarball = ''
let asofTarball = ''

/** Uses the engine of an installed package. @param entries - the entries that must refuse an older Node.js with an explanation. */
async function useEngine(name, cwd, entries) {
  await step(`runs the example of the README with ${name}`, async () => {
    const promised = [...example.matchAll(/console\.log\(.*\) \/\/ *(.+)$/gm)].map(([, text]) => text)
    const output = await runModule(example.replace("'asof'", `'${name}'`), cwd)
    assert.deepEqual(output.trimEnd().split('\n'), promised)
  })

  await step(`indexes and backs up pages in the threads and processes of ${name}`, async () => {
    assert.equal(await runModule(`import { extract, open } from '${name}'\n${pages}`, cwd), foundPages)
  })

  await useExtraction(name, cwd, entries)
}

/** Uses the extraction of an installed package, and how it is loaded. @param entries - see {@link useEngine}. */
async function useExtraction(name, cwd, entries) {
  await step(`prints how to install what ${name} reads documents with`, async () => {
    assert.equal(await runModule(`import { extract } from '${name}'\n${documentTypes}`, cwd), missingDocuments)
  })

  await step(`loads ${name} from CommonJS`, async () => {
    writeFileSync(join(cwd, 'required.cjs'), `console.log(typeof require('${name}').extract)`)
    assert.equal(await run('node', ['required.cjs'], { cwd }), 'function\n')
  })

  await useTypesAndNode(name, cwd, entries)
}

/** Compiles a program with the types of an installed package, and loads it in an older Node.js. @param entries - see {@link useEngine}. */
async function useTypesAndNode(name, cwd, entries) {
  await step(`explains on an older Node.js which one ${name} needs`, async () => {
    const node = await oldNode()
    if (node === undefined) return 'left out, there is no older one'
    for (const entry of entries) {
      writeFileSync(join(cwd, 'old.mjs'), `import ${JSON.stringify(entry)}\n`)
      const { code, stderr } = await outcome(node, ['old.mjs'], { cwd })
      assert.notEqual(code, 0)
      assert.match(stderr, /asof needs Node\.js 22\.19 or newer, and this is Node\.js \d+\.\d+/, entry)
    }
    return await run(node, ['--version']).then(version => `on ${version.trim()}`)
  })

  await step(`compiles strictly with the types of ${name}`, () => checkTypes(name, cwd, { run, install }))
}

/** Runs the programs in the README of an installed package, which say what they print. */
async function runReadme(name, cwd, count) {
  const readme = readFileSync(join(cwd, 'node_modules', name, 'README.md'), 'utf8')
  const programs = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
  assert.equal(programs.length, count)
  for (const program of programs) {
    const promised = [...program.matchAll(/console\.log\(.*\)(?: |\n)\/\/ *(.+)$/gm)].map(([, text]) => text)
    assert.deepEqual((await runModule(program, cwd)).trimEnd().split('\n'), promised)
  }
}

/** Installs and uses the package of the extraction alone. */
async function checkExtract() {
  await step('installs @asof/extract in an empty folder', async () => {
    await install(extractApp, extractTarball)
    const others = /\/(asof|classic-level|undici|fastify|zod|piscina|tldts)$|@asof\/core$/
    assert.deepEqual(
      installedPackages(extractApp).filter(name => others.test(name)),
      [],
    )
    return sizeOf(extractApp, limits.extract)
  })

  await step('runs the examples of the README of @asof/extract', async () => {
    await runReadme('@asof/extract', extractApp, 3)
  })

  await step('imports @asof/extract soon', async () => {
    const program = `const before = process.cpuUsage()
await import('@asof/extract')
const { user, system } = process.cpuUsage(before)
console.log(Math.round((user + system) / 1000))`
    const ms = Number(await runModule(program, extractApp))
    assert.ok(ms <= IMPORT_MS, `${ms} ms of processor time`)
    return `${ms} ms of processor time`
  })

  await useExtraction('@asof/extract', extractApp, ['@asof/extract'])
}

/** Installs and uses the package of the encoder alone, with tiny models of random weights. */
async function checkEncoder() {
  await step('installs @asof/encoder in an empty folder', async () => {
    await install(encoderApp, extractTarball, encoderTarball)
    return sizeOf(encoderApp, limits.encoder)
  })

  await step('runs the programs of the README of @asof/encoder', async () => {
    for (const [fixture, model] of [
      ['bert', 'model'],
      ['bert-classifier', 'classifier'],
    ])
      cpSync(join(root, 'test/encoder/fixtures', fixture), join(encoderApp, model), { recursive: true })
    await runReadme('@asof/encoder', encoderApp, 2)
  })

  await useTypesAndNode('@asof/encoder', encoderApp, ['@asof/encoder'])
}

/** Installs and uses the package of the engine alone. */
async function checkCore() {
  await step('installs @asof/core in an empty folder', async () => {
    await install(coreApp, extractTarball, coreTarball)
    const unrelated =
      /\/(asof|undici|fastify|zod|jose|commander|viem|ox|openai|maxmind|pino)$|@(x402|modelcontextprotocol|fastify)\//
    assert.deepEqual(
      installedPackages(coreApp).filter(name => unrelated.test(name)),
      [],
    )
    return sizeOf(coreApp, limits.core)
  })
  await useEngine('@asof/core', coreApp, ['@asof/core'])
}

/** Installs and uses the whole package: as a library, and as a command without optional packages and then with some. */
async function checkAsof() {
  await step('installs asof in an empty folder', async () => {
    await install(app, extractTarball, encoderTarball, coreTarball, asofTarball)
    const optional = /\/(viem|openai|maxmind|unpdf|fflate|mammoth|warcio|playwright-core|tiny-secp256k1)$|@x402\//
    assert.deepEqual(
      installedPackages(app).filter(name => optional.test(name)),
      [],
    )
    return sizeOf(app, limits.asof)
  })
  await useEngine('asof', app, ['asof', 'asof/extract', 'asof/crawler', 'asof/http'])

  await step('offers every entry it names', async () => {
    await runModule(
      entriesOf(app, 'asof')
        .map(entry => `import ${JSON.stringify(entry)}\n`)
        .join(''),
    )
  })

  await step('has a client that loads nothing but itself and the checks of options', async () => {
    writeFileSync(
      join(app, 'client.js'),
      `import { ClientError, createClient } from 'asof/client'
const error = await createClient({ url: 'http://127.0.0.1:9', title: 'smoke' }).search({ query: 'a' }).catch(error => error)
console.log(error instanceof ClientError, error.error)
`,
    )
    const loaded = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) console.log(url.replace(/.*\\/(dist|app|@asof)\\//, '')); return next(url, context) } })
`
    writeFileSync(join(app, 'loaded.js'), loaded)
    const [verdict, ...files] = (await run('node', ['--import', './loaded.js', 'client.js']))
      .trimEnd()
      .split('\n')
      .reverse()
    assert.equal(verdict, 'true connection_failed')
    const own = /^(transports\/client\/[a-z-]+|entries\/client|client|loaded)\.js$/
    const checks = /^extract\/(errors|characters)\/[a-z-]+\.js$/
    assert.deepEqual(
      files.filter(file => ![own, checks].some(expected => expected.test(file))),
      [],
      'the client loads more than itself and the checks of options',
    )
  })

  await step('crawls, searches, serves and talks to agents without optional packages', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.equal((await run(asof, ['--version'])).trim(), version)
    const site = createServer((request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end()
      response.setHeader('content-type', 'text/html')
      response.end('<title>Night trains</title><p>The night train to Lisbon leaves at nine in the evening.')
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${site.address().port}/`
    try {
      await run(asof, ['crawl', url, '--data', 'crawled', '--allow-private'])
    } finally {
      site.close()
    }
    const search = JSON.parse(await run(asof, ['search', 'Lisbon', '--data', 'crawled', '--json']))
    assert.deepEqual(
      search.results.map(result => result.title),
      ['Night trains'],
    )
    const past = ['search', 'train ticket', '--data', 'data', '--json', '--query-time', '2025-03-01']
    assert.match(JSON.parse(await run(asof, past)).results[0].snippet.replaceAll('**', ''), /20 euros/)

    const server = spawn(asof, ['serve', '--port', '0', '--data', 'crawled'], { cwd: app, env: environment })
    const ended = once(server, 'exit')
    try {
      let address = ''
      for await (const line of createInterface(server.stdout)) {
        address = /listening on (http\S+)/.exec(line)?.[1] ?? ''
        if (address !== '') break
      }
      const answer = await fetch(`${address}/v1/search/public`, {
        method: 'POST',
        headers: { 'X-Service-Title': 'smoke', 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: 'Lisbon' }),
      })
      assert.deepEqual(
        (await answer.json()).results.map(result => result.title),
        ['Night trains'],
      )
      assert.equal((await fetch(`${address}/openapi.json`)).headers.get('content-encoding'), 'gzip')
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])

    const agent = spawn(asof, ['mcp', '--data', 'crawled'], { cwd: app, env: environment })
    const agentEnded = once(agent, 'exit')
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } }
    agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    const [line] = await once(createInterface(agent.stdout), 'line')
    assert.deepEqual(JSON.parse(line).result.serverInfo.name, 'asof')
    agent.stdin.end()
    assert.deepEqual(await agentEnded, [0, null])
  })

  await step('adds a model that runs in the process, and finds pages by their vectors', async () => {
    const env = { ASOF_MODELS: join(app, 'models') }
    const source = join(app, 'tiny')
    cpSync(join(root, 'test/encoder/fixtures/bert'), source, { recursive: true })
    assert.match(await run(asof, ['model', 'add', source], { env }), /^tiny: tiny, bert, 32 dimensions/)
    assert.match(await run(asof, ['model', 'check'], { env }), /^tiny: its files and what it computes are right/)
    const embedded = { ...env, ASOF_EMBED_MODEL: 'local:tiny' }
    const place = ['--data', 'embedded', '--json']
    writeFileSync(join(app, 'cat.txt'), 'the cat sat on the mat')
    await run(asof, ['import', 'cat.txt', ...place], { env: embedded })
    assert.equal(JSON.parse(await run(asof, ['stats', ...place], { env: embedded })).vectors, 1)
    const { receipt } = JSON.parse(await run(asof, ['search', 'cat', ...place], { env: embedded }))
    assert.match(receipt.vectors.model, /^tiny@[0-9a-f]{64}$/)
  })

  await step(
    'installs as docs/quick-start.md says, and then does what the quick start for embedders shows',
    async () => {
      const page = name => stepsOf(readFileSync(join(root, 'docs', name), 'utf8'))
      const clone = join(folder, 'asof')
      mkdirSync(clone)
      for (const file of [extractTarball, encoderTarball, coreTarball, asofTarball])
        copyFileSync(file, join(clone, basename(file)))
      const [, installation] = page('quick-start.md')
      const installed = await run('bash', ['-ec', installation.commands], { cwd: clone })
      assert.ok(isAsShown(installed, installation.shown), installed)
      const reader = await Reader.begin(join(folder, 'my-app/node_modules'))
      try {
        for (const each of page('quick-start-embedder.md')) {
          const printed = await reader.follow(each)
          assert.ok(isAsShown(printed, each.shown ?? ''), printed)
        }
      } finally {
        await reader.end()
      }
    },
  )

  await step('prints how to install what a feature needs', async () => {
    const payments = {
      X402_PAY_TO: '0x1111111111111111111111111111111111111111',
      X402_FACILITATOR_URL: 'http://127.0.0.1:9',
      X402_RPC_URL: 'http://127.0.0.1:9',
    }
    writeFileSync(join(app, 'empty.mmdb'), '')
    writeFileSync(
      join(app, 'corpus.json'),
      JSON.stringify({ name: 'a', seeds: ['http://127.0.0.1:9/'], rendering: 'always' }),
    )
    writeFileSync(join(app, 'paper.pdf'), pdf([[{ text: 'Night trains are back', size: 12, x: 72, y: 700 }]]))
    const serve = ['serve', '--port', '0', '--data', 'crawled']
    for (const [args, env, line] of [
      [serve, { ...payments, ASOF_GEO_BLOCK: 'off' }, 'npm install viem@2.57.1 @x402/evm@2 tiny-secp256k1@2'],
      [serve, { ...payments, ASOF_GEO_MMDB: 'empty.mmdb' }, 'npm install maxmind@5'],
      [serve, { ASOF_LLM_URL: 'http://127.0.0.1:9/v1', ASOF_LLM_MODEL: 'm' }, 'npm install openai@7'],
      [['export', '--warc', '--data', 'crawled'], {}, 'npm install warcio@2'],
      [['crawl', 'corpus.json', '--data', 'crawled', '--allow-private'], {}, 'npm install playwright-core@1'],
      [['extract', 'paper.pdf'], {}, 'npm install unpdf@1 fflate@0.8 mammoth@1'],
    ]) {
      const { code, stderr } = await outcome(asof, args, { env })
      assert.notEqual(code, 0, `asof ${args.join(' ')} succeeds without ${line}`)
      assert.ok(
        stderr.replaceAll(/\s+/g, ' ').includes(line),
        `asof ${args.join(' ')} does not print "${line}": ${stderr}`,
      )
    }
  })

  await step('reads documents once their packages are installed as printed', async () => {
    await install(app, 'unpdf@1', 'fflate@0.8', 'mammoth@1')
    assert.match(await run(asof, ['extract', 'paper.pdf']), /Night trains are back/)
  })
}

try {
  await step('builds and packs four packages', async () => {
    const printed = await run('npm', ['run', '--silent', 'tarballs'], { cwd: root })
    assert.match(printed, /npm install .*asof-extract-.*\.tgz/)
    assert.ok(printed.trim().split('\n').length <= 12, printed)
    const files = [...printed.matchAll(/^(?:@asof\/)?(extract|encoder|core|asof): (\S+\.tgz),/gm)]
    assert.deepEqual(
      files.map(([, name]) => name),
      ['extract', 'encoder', 'core', 'asof'],
    )
    ;[extractTarball, encoderTarball, coreTarball, asofTarball] = files.map(([, , file]) => join(root, file))
    const extract = await pathsIn(extractTarball)
    const encoder = await pathsIn(encoderTarball)
    const core = await pathsIn(coreTarball)
    const whole = await pathsIn(asofTarball)
    for (const path of ['index.js', 'index.d.ts', 'README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.md'])
      for (const [name, paths] of Object.entries({ extract, encoder, core }))
        assert.ok(paths.includes(path), `${path} is not in @asof/${name}`)
    for (const [name, paths] of Object.entries({ extract, core }))
      assert.ok(paths.includes('internal.js'), `internal.js is not in @asof/${name}`)
    for (const path of [
      'dist/entries/index.js',
      'dist/entries/index.d.ts',
      'dist/entries/extract.js',
      'dist/transports/cli/main.js',
      'dist/console/built/third-party-notices.md',
      'README.md',
      'LICENSE',
    ])
      assert.ok(whole.includes(path), `${path} is not in asof`)
    const sources = /(?<!\.d)\.ts$|\/generate-|(^|\/)node_modules\//
    const strays = [
      ...[...extract, ...encoder, ...core].filter(path => sources.test(path)),
      ...whole.filter(
        path => sources.test(path) || /^(dist\/)?(extract|encoder|core|test|bench|packaging)\//.test(path),
      ),
      ...whole.filter(path => path.endsWith('.tgz')),
    ]
    const bundled = core.map(path => /^text\/languages\/table\/packages\/([^/]+)\//.exec(path)?.[1])
    const notices = await run('tar', ['-xOf', coreTarball, 'package/THIRD-PARTY-NOTICES.md'], { cwd: folder })
    const unnoticed = [...new Set(bundled)].filter(name => name !== undefined && !notices.includes(`\n## ${name}\n`))
    assert.ok(bundled.includes('eld'))
    assert.deepEqual(unnoticed, [], 'packages without their license')
    assert.deepEqual(strays, [], 'files that do not belong in the packages')
    for (const tarball of [extractTarball, encoderTarball, coreTarball, asofTarball]) {
      const manifest = JSON.parse(await run('tar', ['-xOf', tarball, 'package/package.json'], { cwd: folder }))
      assert.equal(manifest.scripts?.prepare, undefined, `${tarball} has a script that npm would run`)
      assert.equal(manifest.engines.node, '>=22.19')
    }
  })

  const tools = { run, install, environment, program: pages, promised: foundPages }
  await together(
    checkExtract,
    checkEncoder,
    checkCore,
    checkAsof,
    () =>
      step('runs in applications that esbuild, webpack and Vite bundled as documented', () =>
        checkBundlers(join(folder, 'bundled'), {
          ...tools,
          tarballs: [extractTarball, encoderTarball, coreTarball, asofTarball],
        }),
      ),
    () =>
      step('passes tests of applications in Jest and vitest', () =>
        checkTestRunners(join(folder, 'tested'), { ...tools, tarballs: [extractTarball, coreTarball] }),
      ),
  )

  // Runs alone, because it has a time limit.
  await step('reports at once that a bundler left out the files of its threads and processes', () =>
    checkWholeBundles(join(folder, 'bundled'), tools),
  )

  if (process.argv.includes('--next'))
    await step('runs in an application of Next.js', () =>
      checkNext(join(folder, 'next'), {
        ...tools,
        tarballs: [extractTarball, encoderTarball, coreTarball, asofTarball],
      }),
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
