import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import coreJson from '../../core/package.json' with { type: 'json' }
import extractJson from '../../extract/package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

/** The workspaces that sources import by their names, with their entries. */
const workspaces: readonly [name: string, folder: string, entries: Record<string, string>][] = [
  ['@asof/core', 'core', coreJson.exports],
  ['@asof/extract', 'extract', extractJson.exports],
]

/** Writes the declarations of all sources that are published into a folder. */
export function compileDeclarations(folder: string): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // Type errors are ignored here, because `npm run check:types` reports them; declarations are written anyway.
  spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder], {
    cwd: root,
  })
}

/** A name that a file makes available: declared in the file, or taken from another file. */
interface Known {
  /** The statement, with its comment. Undefined if another file declares the name. */
  statement?: string
  /** The file or package from where the name comes, and its name there. */
  from?: string
  nameThere: string
  isExported: boolean
  isTypeOnly: boolean
}

interface DeclarationFile {
  names: ReadonlyMap<string, Known>
  /** What the file exports whole. */
  everythingOf: readonly string[]
}

/** An exported declaration. */
export interface Declared {
  name: string
  /** The file of the declaration. */
  file: string
  /** The declaration as a caller sees it: without comments and private members, and without the constructor if it is exported as a type. */
  text: string
  /** The doc comment. Empty if there is none. */
  comment: string
}

const comments = /\/\*\*[\s\S]*?\*\/\s*/g

/** Splits a declaration file into its statements, each with the comment before it. */
function statementsOf(text: string): string[] {
  return text
    .split(/^(?=(?:\/\*\*|export|declare|import|interface|type|class|const|function)\b|\/\*\*)/m)
    .reduce<string[]>((found, part) => {
      const last = found.at(-1)
      if (last !== undefined && last.replace(comments, '').trim() === '') found[found.length - 1] = last + part
      else found.push(part)
      return found
    }, [])
    .map(statement => statement.trim())
    .filter(statement => statement.replace(comments, '') !== '')
}

function readDeclarations(text: string): DeclarationFile {
  const names = new Map<string, Known>()
  const everythingOf: string[] = []
  for (const statement of statementsOf(text)) {
    const code = statement.replace(comments, '')
    const [, whole] = /^export \* from '([^']+)';$/.exec(code) ?? []
    if (whole !== undefined) {
      everythingOf.push(whole)
      continue
    }
    const [, keyword, typeOnly, list, from] =
      /^(import|export) (type )?(?:\w+, )?\{([^}]*)\}(?: from '([^']+)')?/.exec(code) ?? []
    if (list !== undefined) {
      for (const item of list.split(',')) {
        const [, type, nameThere, name = nameThere] = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
        if (nameThere === undefined || name === undefined || from === undefined) continue
        names.set(name, {
          from,
          nameThere,
          isExported: keyword === 'export',
          isTypeOnly: (typeOnly ?? type) !== undefined,
        })
      }
      continue
    }
    const [, exported, name] =
      /^(export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/.exec(code) ?? []
    if (name === undefined) continue
    const before = names.get(name)?.statement
    // The overloads of a function are one declaration. An interface that has the name of a value, too.
    const all = before === undefined ? statement : `${before}\n${statement}`
    names.set(name, { statement: all, nameThere: name, isExported: exported !== undefined, isTypeOnly: false })
  }
  return { names, everythingOf }
}

/** Returns a class without the members that a caller can't see. */
function visibleMembers(text: string, isTypeOnly: boolean): string {
  const hidden = isTypeOnly ? /^ {4}(?:private|protected|static|constructor|#)/ : /^ {4}(?:private|#)/
  return text
    .split(/^(?= {4}[^\s}])/m)
    .map(member => (hidden.test(member) ? (/^\}[\s\S]*/m.exec(member)?.[0] ?? '') : member))
    .join('')
}

/** The declarations that were compiled into a folder. */
export class CompiledApi {
  readonly #folder: string
  readonly #files = new Map<string, DeclarationFile>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns what a file exports, sorted by name. @param entry - the source file, such as `entries/http.ts`. */
  exportsOf(entry: string): Declared[] {
    return this.#exportedNames(compiledFile(entry))
      .sort((a, b) => (a < b ? -1 : 1))
      .map(name => this.#declared(name, compiledFile(entry)))
      .filter(declared => declared !== undefined)
  }

  /** Returns the types, interfaces and classes of asof that a declaration names, as they are in {@link identity}. */
  typesIn({ name, file, text }: Declared): string[] {
    const inline = [...text.matchAll(/import\(['"]([^'"]+)['"]\)\.(\w+)/g)].map(([, from = '', type = '']) =>
      this.#typeAt(type, this.#sourceOf(from, file)),
    )
    const words = new Set(text.replace(/'[^']*'|"[^"]*"/g, '').match(/\b[A-Z]\w*\b/g) ?? [])
    words.delete(name)
    return [...inline, ...[...words].map(word => this.#typeAt(word, file))].filter(type => type !== undefined)
  }

  #typeAt(name: string, file: string | undefined): string | undefined {
    const declared = file === undefined ? undefined : this.#declared(name, file)
    return declared && /^(?:abstract )?(?:interface|type|class) /m.test(declared.text) ? identity(declared) : undefined
  }

  #exportedNames(file: string): string[] {
    const { names, everythingOf } = this.#read(file)
    const own = [...names].filter(([, { isExported }]) => isExported).map(([name]) => name)
    const passedOn = everythingOf.flatMap(from => {
      const source = this.#sourceOf(from, file)
      return source === undefined ? [] : this.#exportedNames(source)
    })
    return [...new Set([...own, ...passedOn])]
  }

  /** Returns the declaration of a name in a file, also through other files. Undefined if another package declares it. */
  #declared(name: string, file: string, isTypeOnly = false): Declared | undefined {
    const { names, everythingOf } = this.#read(file)
    const known = names.get(name)
    if (known?.statement !== undefined) {
      const code = known.statement.replace(comments, '').replace(/^(?:export )?(?:declare )?/gm, '')
      return {
        name,
        file,
        text: visibleMembers(code, isTypeOnly || known.isTypeOnly),
        comment: /^\/\*\*[\s\S]*?\*\//.exec(known.statement)?.[0] ?? '',
      }
    }
    const sources = known?.from === undefined ? everythingOf : [known.from]
    for (const from of sources) {
      const source = this.#sourceOf(from, file)
      const found = source && this.#declared(known?.nameThere ?? name, source, isTypeOnly || known?.isTypeOnly)
      if (found) return found
    }
    return undefined
  }

  /** Returns the compiled file of an import. Undefined if it is of another package. */
  #sourceOf(from: string, file: string): string | undefined {
    if (from.startsWith('.')) return compiledFile(join(dirname(file), from))
    for (const [name, folder, entries] of workspaces) {
      const source = entries[from.replace(name, '.')]
      if (from.startsWith(name) && source !== undefined) return compiledFile(join(folder, source))
    }
    return undefined
  }

  #read(file: string): DeclarationFile {
    const read = this.#files.get(file) ?? readDeclarations(readFileSync(join(this.#folder, file), 'utf8'))
    this.#files.set(file, read)
    return read
  }
}

/** Returns the compiled file of a source file. */
function compiledFile(source: string): string {
  return source.replace(/\.(ts|js)$/, '.d.ts')
}

/** Identifies a declaration: two files may declare the same name. */
export function identity({ name, file }: Declared): string {
  return `${name} of ${file.replace('.d.ts', '.ts')}`
}
