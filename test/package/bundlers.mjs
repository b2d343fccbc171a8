/**
 * Bundles an application as docs/embedding.md says, with the configurations and commands of that page, and runs it. The bundlers
 * are installed for this in the folder of the test.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const packages = ['esbuild@0.28.2', 'webpack@5.112.2', 'webpack-cli@7.3.1', 'vite@8.3.8']
const nextPackages = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']

/** A worker that cannot start is an error within this time, milliseconds. */
const FAILURE_MS = 5000

const page = readFileSync(resolve(import.meta.dirname, '../../docs/embedding.md'), 'utf8')

/** Returns the blocks of code in a section of the page: `{ language, text }`. */
function blocksOf(heading) {
  const section = page.split(/^#{2,3} /m).find(one => one.startsWith(heading))
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language, text }))
}

/** Writes the files of a section, which begin with a comment that names them. */
function writeFiles(folder, heading) {
  for (const { language, text } of blocksOf(heading)) {
    const path = /^\/\/ (\S+)\n/.exec(text)?.[1]
    if (language === 'sh' || path === undefined) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Runs the commands of a section. @returns the output of the last one. */
async function runCommands(folder, heading, run) {
  const commands = blocksOf(heading)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
  assert.ok(commands.length > 0, `${heading} has no command`)
  let output = ''
  for (const command of commands) {
    const [program, ...args] = command.split(' ')
    output = await run(program, args, { cwd: folder, env: { NEXT_TELEMETRY_DISABLED: '1' } })
  }
  return output
}

/**
 * @param program - the statements of an application that uses `extract` and `open`.
 * @param promised - what it prints.
 */
export async function checkBundlers(folder, { tarballs, program, promised, run, install }) {
  await install(folder, ...tarballs, ...packages)
  writeFileSync(
    join(folder, 'app.js'),
    `import { extract, open } from 'asof'\nasync function main() {\n${program}}\nmain()\n`,
  )
  for (const heading of ['esbuild', 'webpack', 'Vite']) {
    writeFiles(folder, heading)
    assert.equal(await runCommands(folder, heading, run), promised, `the application bundled by ${heading}`)
    for (const data of ['pages', 'copy']) await run('rm', ['-r', data], { cwd: folder })
  }
}

/** Bundles the engine itself, which cannot work, and checks that it fails with a code and soon. */
export async function checkWholeBundles(folder, { run }) {
  writeFileSync(
    join(folder, 'whole.js'),
    `import { extract, open } from '@asof/core'
async function main() {
  const fromMs = performance.now()
  const failures = [open('./whole'), extract('<p>a', { url: 'https://example.com/' })].map(one => one.catch(error => error))
  const errors = await Promise.all(failures)
  console.log(JSON.stringify({ codes: errors.map(error => error.code), messages: errors.map(error => error.message), ms: performance.now() - fromMs }))
}
main()
`,
  )
  const requires = `import { createRequire as load } from 'node:module'; const require = load(import.meta.url); const __dirname = import.meta.dirname`
  const noLevelDb = '--external:classic-level'
  for (const [format, ...options] of [
    ['cjs'],
    ['esm'],
    ['cjs', noLevelDb],
    ['esm', noLevelDb, `--banner:js=${requires}`],
  ]) {
    const out = `built/whole.${format === 'cjs' ? 'cjs' : 'mjs'}`
    const common = ['--bundle', '--platform=node', `--format=${format}`, '--log-level=error', `--outfile=${out}`]
    await run('npx', ['esbuild', 'whole.js', ...common, ...options], { cwd: folder })
    const { codes, messages, ms } = JSON.parse(await run('node', [out], { cwd: folder }))
    assert.deepEqual(codes, ['ASOF_WORKER_FAILED', 'ASOF_WORKER_FAILED'])
    for (const message of messages) assert.match(message, /asof .*packages: 'external'/s)
    assert.ok(ms < FAILURE_MS, `${out} failed after ${ms} ms`)
  }
}

/** Builds an application of Next.js, moves what it built elsewhere, and asks it. */
export async function checkNext(folder, { tarballs, program, promised, run, install, environment }) {
  await install(folder, ...tarballs, ...nextPackages)
  writeFiles(folder, 'Next.js')
  mkdirSync(join(folder, 'app/pages'))
  writeFileSync(
    join(folder, 'app/layout.js'),
    'export default function Layout({ children }) {\n  return <html><body>{children}</body></html>\n}\n',
  )
  writeFileSync(
    join(folder, 'app/pages/route.js'),
    `import { extract, open } from 'asof'
export const dynamic = 'force-dynamic'
export async function GET() {
  let printed = ''
  const console = { log: line => { printed += line + '\\n' } }
${program}
  return new Response(printed)
}
`,
  )
  await runCommands(folder, 'Next.js', run)
  const moved = `${folder}-moved`
  renameSync(join(folder, '.next/standalone'), moved)
  const server = spawn(process.execPath, ['server.js'], {
    cwd: moved,
    env: { ...environment, PORT: '0', HOSTNAME: '127.0.0.1' },
  })
  const ended = once(server, 'exit')
  try {
    let address = ''
    for await (const line of createInterface(server.stdout)) {
      address = /Local: +(http\S+)/.exec(line)?.[1] ?? ''
      if (address !== '') break
    }
    assert.equal(await (await fetch(`${address}/pages`)).text(), promised)
    assert.deepEqual(await (await fetch(`${address}/search?q=train`)).json(), [])
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}
