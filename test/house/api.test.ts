import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import extractJson from '../../extract/package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

/** Returns the top-level statements of a declaration file as printed by tsc: each starts with a word in the first column. */
function statementsOf(declarations: string): string[] {
  return declarations
    .split(/^(?=(?:export|declare|import|interface|type|class)\b)/m)
    .map(statement => statement.trimEnd())
    .filter(statement => statement !== '')
}

/**
 * Returns the names that a declaration file re-exports, each with the file or entry from where.
 *
 * @param which - `all` for an entry of a package, which does nothing else.
 */
function exportsOf(declarations: string, which: 'all' | 'some'): { name: string; from: string }[] {
  return statementsOf(declarations).flatMap(statement => {
    if (/^import '/.test(statement)) return []
    const [, names, from = ''] = /^export (?:type )?\{([^}]*)\} from '([^']+)';$/.exec(statement) ?? []
    if (names === undefined && which === 'some') return []
    if (names === undefined) throw new Error(`an entry exports by name, from another file; not so: ${statement}`)
    return names
      .split(',')
      .map(name => name.trim().replace(/^type /, ''))
      .filter(name => name !== '')
      .map(name => ({ name, from }))
  })
}

/** Returns the statement that declares `name`, as a caller sees it. */
function declarationOf(name: string, declarations: string): string {
  const declares = new RegExp(`^(export )?(declare )?(abstract )?(const|function|class|interface|type) ${name}\\b`)
  const found = statementsOf(declarations).filter(statement => declares.test(statement))
  if (found.length === 0) throw new Error(`no declaration of ${name}`)
  return found
    .map(statement => statement.replace(/^export (declare )?/, '').replace(/^ {4}(private|#).*;\n/gm, ''))
    .join('\n')
}

/** The compiled declarations. */
let built: string
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'asof-api-'))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--removeComments', '--outDir', built]
  // Type errors are ignored here, because `npm run check:types` reports them; declarations are written anyway.
  spawnSync(process.execPath, [tsc, ...options], { cwd: root })
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

const entriesOfExtract: Record<string, string> = extractJson.exports

/** Returns the path of a declaration file, relative to the compiled ones, that an entry imports. */
function pathOf(entry: string, from: string): string {
  const source = from.startsWith('@asof/extract')
    ? join('extract', entriesOfExtract[from.replace('@asof/extract', '.')] ?? '')
    : join(dirname(entry), from)
  return source.replace(/\.(ts|js)$/, '.d.ts')
}

/** Returns the statement that declares what an entry exports, also through other entries. */
function exportedDeclaration(name: string, file: string): string {
  const text = readFileSync(join(built, file), 'utf8')
  const passedOn = exportsOf(text, 'some').find(one => one.name === name)
  return passedOn ? exportedDeclaration(name, pathOf(file, passedOn.from)) : declarationOf(name, text)
}

/** Returns what some entries export, sorted by name. */
function exported(entries: readonly string[]): { name: string; declaration: string }[] {
  return entries.flatMap(entry =>
    exportsOf(readFileSync(join(built, entry), 'utf8'), 'all')
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, from }) => ({ name, declaration: exportedDeclaration(name, pathOf(entry, from)) })),
  )
}

const listings: [title: string, entries: string[], listing: string][] = [
  ['core/index.d.ts and core/testing/index.d.ts', ['core/index.d.ts', 'core/testing/index.d.ts'], 'api.txt'],
  ['extract/index.d.ts', ['extract/index.d.ts'], 'extract-api.txt'],
]

it.each(listings)('what %s export equals the listing (accept a change with --update)', async (_, entries, listing) => {
  const declarations = exported(entries).map(({ declaration }) => declaration)
  await expect(`${declarations.join('\n\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, listing))
})

/** Types without an export of their own. Callers write or read their properties and never need their names. */
const unnamed = [
  'ErrorCode',
  'ErrorParts',
  'ExtractPoolOptions',
  'ExtractRunOptions',
  'FolderDamage',
  'LostCapture',
  'Mergeable',
]

it.each(listings)('what %s export names only types that are exported too', (_, entries) => {
  const declared = new Set(
    globSync('**/*.d.ts', { cwd: built }).flatMap(file =>
      [
        ...readFileSync(join(built, file), 'utf8').matchAll(
          /^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/gm,
        ),
      ].map(([, name = '']) => name),
    ),
  )
  const found = exported(entries)
  const texts = found.map(({ declaration }) => declaration.replace(/'[^']*'/g, ''))
  const named = new Set(texts.flatMap(text => text.match(/\b[A-Z]\w+\b/g) ?? []).filter(name => declared.has(name)))
  for (const { name } of found) named.delete(name)
  expect([...named].filter(name => !unnamed.includes(name))).toEqual([])
})
