import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** The folders of the library. In the others each program, example or engine of a benchmark stands alone. */
const folders = 'extract,encoder,core,cluster,database,crawler,service,store,transports'

type Exemption = readonly [reason: string, files: RegExp]

/** Files that may declare names which another file has, each with the reason. */
const exempt: readonly Exemption[] = [
  [
    'a kernel or a table is one of several of one shape, and its generator has the same names in the text that it writes',
    /[.]generated[.]ts$|\/generate-[a-z-]+[.]ts$/,
  ],
  [
    'a dialect is one of several of one shape: it reads requests, and writes answers and errors',
    /^transports\/http\/dialects\/(?!frame\/)[a-z]+\/(?:read|write|errors)[.]ts$/,
  ],
  [
    'what the client sends is the request of the contract before its defaults are filled in: one thing, which both public entries name so',
    /^transports\/client\/wire[.]ts$/,
  ],
]

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm

/** Returns the names that several of some files declare and export, each with these files. An overload is declared in one file. */
function declaredTwice(sources: Iterable<readonly [file: string, text: string]>, exemptions = exempt): string[] {
  const filesOf = new Map<string, Set<string>>()
  for (const [file, text] of sources)
    if (!exemptions.some(([, files]) => files.test(file)))
      for (const [, name = ''] of text.matchAll(declaration))
        filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file))
  return [...filesOf]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].sort().join(', ')}`)
    .sort()
}

const library = globSync(`{${folders}}/**/*.ts`, {
  cwd: root,
  exclude: path => /(^|\/)(node_modules|dist)$/.test(path),
})
const sources = library.map(file => [file, readFileSync(join(root, file), 'utf8')] as const)

it('a name that is exported is declared in one file, so that a word means one thing', () => {
  expect(library.length).toBeGreaterThan(1000)
  expect(declaredTwice(sources)).toEqual([])
})

it('each kind of declaration is found when a second file has it', () => {
  const declarations = [
    'export const place = 1',
    'export function place(): void {}',
    'export async function place(): Promise<void> {}',
    'export function* place(): Generator {}',
    'export class place {}',
    'export abstract class place {}',
    'export interface place {}',
    'export type place = 1',
  ]
  for (const text of declarations) {
    expect(declaredTwice([...sources, ['core/a.ts', text], ['service/b.ts', `const a = 1\n${text}\n`]])).toEqual([
      'place: core/a.ts, service/b.ts',
    ])
  }
})

it('a name that is exported again, or declared for one file alone, is no second declaration', () => {
  const others = [
    "export { place } from './a.ts'",
    "export type { place } from './a.ts'",
    'const place = 1',
    'type place = 1',
  ]
  for (const text of others)
    expect(
      declaredTwice([
        ['core/a.ts', 'export const place = 1'],
        ['core/b.ts', text],
      ]),
    ).toEqual([])
})

it.each(exempt)('is no rule for some files, because %s', reason => {
  const others = exempt.filter(one => one[0] !== reason)
  expect(declaredTwice(sources, others)).not.toEqual([])
})

/** Entries of packages, which others import by the name of the package. */
const ofPackages = /^(?:extract\/|entries\/|(?:encoder|core|core\/testing)\/index[.]ts$)/

/** Returns the names in the braces of `import { a, type B as C } from` and of `export { … } from`, as the other file has them. */
function namesInBraces(list: string): string[] {
  return list.split(',').flatMap(item => /^\s*(?:type\s+)?(\w+)/.exec(item)?.[1] ?? [])
}

/**
 * Returns the names that the entries of rooms (`index.ts`) pass on and that no other file imports from there. A file that imports an entry
 * by `import()` or as a whole uses what it names anywhere.
 */
function passedOnForNobody(all: readonly (readonly [file: string, text: string])[]): string[] {
  const used = new Map<string, Set<string>>()
  const whole = new Map<string, string[]>()
  for (const [file, text] of all) {
    const target = (from: string) => join(dirname(file), from)
    for (const [, list = '', from = ''] of text.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g))
      used.set(target(from), new Set([...(used.get(target(from)) ?? []), ...namesInBraces(list)]))
    for (const [, from = ''] of text.matchAll(/(?:import\(|\* (?:as \w+ )?from )'(\.[^']+)'/g))
      whole.set(target(from), [...(whole.get(target(from)) ?? []), text])
  }
  return all.flatMap(([file, text]) => {
    if (!/(^|\/)index[.]ts$/.test(file) || ofPackages.test(file)) return []
    const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, list = '']) =>
      namesInBraces(list),
    )
    const isUsed = (name: string) =>
      used.get(file)?.has(name) || whole.get(file)?.some(other => new RegExp(`\\b${name}\\b`).test(other))
    return passedOn.filter(name => !isUsed(name)).map(name => `${file}: ${name}`)
  })
}

describe('the entry of a room', () => {
  const importing = globSync('{bench,console,entries,examples,packaging,test}/**/*.ts', {
    cwd: root,
    exclude: path => /(^|\/)(node_modules|dist|built)$/.test(path),
  }).map(file => [file, readFileSync(join(root, file), 'utf8')] as const)

  it('passes on only what another file imports', () => {
    expect(importing.length).toBeGreaterThan(500)
    expect(passedOnForNobody([...sources, ...importing])).toEqual([])
  })

  it.each([
    ['core/b.ts', "import { a } from './room/index.ts'", ['core/room/index.ts: b']],
    ['core/b.ts', "import { type a as c } from './room/index.ts'", ['core/room/index.ts: b']],
    ['core/b.ts', "export { b } from './room/index.ts'", ['core/room/index.ts: a']],
    ['core/b.ts', "const { b } = await import('./room/index.ts')", ['core/room/index.ts: a']],
    ['core/b.ts', "import { a, b } from './other/index.ts'", ['core/room/index.ts: a', 'core/room/index.ts: b']],
    ['core/b.ts', "import {\n  a,\n  b,\n} from './room/index.ts'", []],
  ])('is compared with the imports of %s: %s', (file, text, expected) => {
    const entry = ['core/room/index.ts', "export { a } from './a.ts'\nexport type { b } from './b.ts'"] as const
    expect(passedOnForNobody([entry, [file, text]])).toEqual(expected)
  })
})
