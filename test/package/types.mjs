/** Compiles programs that use the installed packages as strictly as TypeScript can, without any optional package. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const manifestOf = folder => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** How a program's modules are resolved: by Node, and by a bundler. */
const resolutions = [
  ['--module', 'nodenext'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
]

/** Returns the entries of an installed package, as they are imported. */
export function entriesOf(cwd, name) {
  return Object.keys(manifestOf(join(cwd, 'node_modules', name)).exports)
    .filter(entry => !entry.endsWith('.json'))
    .map(entry => entry.replace('.', name))
}

const imports = entries =>
  entries.map((entry, i) => `import * as entry${i} from ${JSON.stringify(entry)}\nvoid entry${i}\n`).join('')

const engineConsumer = name => `import { open, type Engine, type SearchResult } from '${name}'
const engine: Engine = await open('./data', {})
const results: SearchResult[] = (await engine.search('a', { queryTime: '7d', mode: 'realtime' })).results
void results
// @ts-expect-error a mode that does not exist
void engine.search('a', { mode: 'none' })
`

const pageConsumer = name => `import { type ExtractedPage, extractPage } from '${name}'
const page: ExtractedPage = extractPage('', { url: 'https://example.com/' })
void page
// @ts-expect-error an option that does not exist
void extractPage('', { url: 'https://example.com/', base: '' })
`

const encoderConsumer = name => `import { Encoder } from '${name}'
const encoder: Encoder = await Encoder.open({ path: './model', pooling: 'cls' })
const vectors: Float32Array[] = await encoder.embed(['a'], { kind: 'query' })
void vectors
// @ts-expect-error a kind that does not exist
void encoder.embed(['a'], { kind: 'page' })
`

const clientConsumer = `import { createClient, type ResponseOf } from 'asof/client'
const client = createClient({ url: 'http://127.0.0.1', key: 'asof_k' })
const found: Promise<ResponseOf<'search'>> = client.search({ query: 'a', mode: 'pro' })
// @ts-expect-error a field that does not exist
void client.search({ query: 'a', page: 2 })
// @ts-expect-error neither key nor title
void createClient({ url: 'http://127.0.0.1' })
void found
`

/** The examples of docs/embedding.md that import types: a way in, and a server that sells. */
const typedExamples = [
  ...readFileSync(join(root, 'docs/embedding.md'), 'utf8').matchAll(
    /^```ts\n((?:import .*\n)*import .*\btype .*\n[\s\S]*?)^```$/gm,
  ),
].map(([, example]) => example)
assert.equal(typedExamples.length, 2)

/** Fails if a published declaration imports an optional package, which a user may not have. */
function expectNoOptionalImports(cwd, name) {
  const folder = join(cwd, 'node_modules', name)
  const optional = Object.keys(manifestOf(folder).peerDependencies ?? {})
  const declarations = readdirSync(folder, { recursive: true }).filter(path => path.endsWith('.d.ts'))
  assert.ok(declarations.length > 10, `${name} has ${declarations.length} declarations`)
  for (const path of declarations)
    for (const [, imported] of readFileSync(join(folder, path), 'utf8').matchAll(
      /(?:from|import) ?\(?['"]([^'"]+)['"]/g,
    ))
      assert.ok(
        !optional.some(peer => imported === peer || imported.startsWith(`${peer}/`)),
        `${name}/${path} imports ${imported}, which is optional`,
      )
}

/**
 * Compiles programs that import every entry of an installed package, with all checks of declarations. The folder also gets Node's own
 * declarations, which every TypeScript program for Node has.
 */
export async function checkTypes(name, cwd, { run, install }) {
  const { devDependencies } = manifestOf(root)
  const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', 'node', '--target', 'es2024']
  expectNoOptionalImports(cwd, name)
  await install(cwd, `@types/node@${devDependencies['@types/node']}`)
  const consumers = {
    asof: engineConsumer(name) + clientConsumer + pageConsumer('asof/extract'),
    '@asof/core': engineConsumer(name),
    '@asof/encoder': encoderConsumer(name),
    '@asof/extract': pageConsumer(name),
  }
  const programs = [`${imports(entriesOf(cwd, name))}${consumers[name]}`]
  if (name === 'asof') programs.push(...typedExamples)
  const files = programs.map((program, i) => {
    writeFileSync(join(cwd, `types-${i}.ts`), program)
    return `types-${i}.ts`
  })
  for (const resolution of resolutions)
    await run('node', [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...resolution, ...files], { cwd })
}
