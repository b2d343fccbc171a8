import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandFailure } from '../command-failure.ts'

/** A markdown document of the project. */
export interface ProjectDocument {
  /** Path relative to the project's root, with forward slashes. */
  file: string
  markdown: string
  /** Epoch milliseconds. */
  modifiedAt: number
}

async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  } catch {
    // A missing or broken file counts as no package.
    return undefined
  }
}

/** Returns the root folder of the asof package, in a clone or where it is installed. */
export async function projectRoot(): Promise<string> {
  for (let dir = import.meta.dirname; ; dir = path.dirname(dir)) {
    if ((await readJson(path.join(dir, 'package.json')))?.name === 'asof') return dir
    if (dir === path.dirname(dir))
      throw new CommandFailure(
        'the demo needs the files of the asof package, and no folder above it has its package.json',
      )
  }
}

async function filesIn(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).map(name => path.join(dir, name))
  } catch {
    // The folder may be missing.
    return []
  }
}

/** Returns the documentation of the project: the Markdown files at its root and in `docs`, and the README of each room. */
export async function projectDocuments(root: string): Promise<ProjectDocument[]> {
  const rooms = ['extract', 'core', 'crawler', 'service', 'transports', 'bench', 'corpora', 'test'].map(room =>
    path.join(root, room, 'README.md'),
  )
  const candidates = [...(await filesIn(root)), ...(await filesIn(path.join(root, 'docs'))), ...rooms]
  const documents: ProjectDocument[] = []
  for (const file of candidates.filter(name => name.endsWith('.md')).sort()) {
    const info = await stat(file).catch(() => undefined)
    if (!info?.isFile()) continue
    documents.push({
      file: path.relative(root, file).split(path.sep).join('/'),
      markdown: await readFile(file, 'utf8'),
      modifiedAt: Math.floor(info.mtimeMs),
    })
  }
  return documents
}

/** The README of an installed package, and its change log, if it has one. */
export interface PackageReadme {
  name: string
  description: string
  markdown: string
  changeLog?: string | undefined
}

const MAX_DOCUMENT_BYTES = 1024 * 1024

/** Reads the first file that has one of these names; undefined if there is none, or if it is empty or too large. */
async function readDocument(files: readonly string[], names: RegExp): Promise<string | undefined> {
  const file = files.find(each => names.test(path.basename(each)))
  if (file === undefined || (await stat(file)).size > MAX_DOCUMENT_BYTES) return undefined
  const text = await readFile(file, 'utf8')
  return text.trim() === '' ? undefined : text
}

async function packageDirs(modules: string): Promise<string[]> {
  const entries = (await filesIn(modules)).filter(entry => !path.basename(entry).startsWith('.'))
  const scopes = entries.filter(entry => path.basename(entry).startsWith('@'))
  const scoped = await Promise.all(scopes.map(filesIn))
  return [...entries.filter(entry => !scopes.includes(entry)), ...scoped.flat()].sort()
}

async function readPackage(dir: string): Promise<PackageReadme | undefined> {
  const manifest = await readJson(path.join(dir, 'package.json'))
  if (typeof manifest?.name !== 'string') return undefined
  const files = await filesIn(dir)
  const markdown = await readDocument(files, /^readme(?:\.md|\.markdown)?$/i)
  if (markdown === undefined) return undefined
  const description = typeof manifest.description === 'string' ? manifest.description : ''
  const changeLog = await readDocument(files, /^(?:changelog|history|changes)\.md$/i)
  return { name: manifest.name, description, markdown, changeLog }
}

/** Returns the READMEs of the packages that are installed beside asof or in its clone. Each package appears once. */
export async function* packageReadmes(root: string): AsyncGenerator<PackageReadme> {
  const seen = new Set(['asof'])
  for (let dir = root; ; dir = path.dirname(dir)) {
    const modules = path.basename(dir) === 'node_modules' ? dir : path.join(dir, 'node_modules')
    for (const packageDir of await packageDirs(modules)) {
      const readme = await readPackage(packageDir)
      if (readme === undefined || seen.has(readme.name)) continue
      seen.add(readme.name)
      yield readme
    }
    if (seen.size > 1 || dir === path.dirname(dir)) return
  }
}
