import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'

/** Folder in which Debian and Ubuntu install the jars of liblucene*-java. */
const PACKAGED_JARS = '/usr/share/java'
/** The jars are named `analyzers` in Lucene 8 and `analysis` later. */
const wanted = [/^lucene-core-[\d.]+\.jar$/, /^lucene-analy(zers|sis)-common-[\d.]+\.jar$/]
const JVM = ['-Xmx2g']

/** A compiled program of engines/lucene. */
export interface LuceneProgram {
  /** Arguments of `java`; append those of the program. */
  args: string[]
  /** Versions of Lucene and Java. */
  version: string
  /** Settings of Java. */
  settings: string
}

/**
 * Compiles a program of engines/lucene. Returns undefined if the JDK or the jars are missing.
 *
 * @param jarFolder - folder with the jars of Lucene.
 */
export function compileLucene(program: 'Bench' | 'Quality', jarFolder = PACKAGED_JARS): LuceneProgram | undefined {
  const names = existsSync(jarFolder) ? readdirSync(jarFolder) : []
  const jars = wanted.map(pattern =>
    names
      .filter(name => pattern.test(name))
      .sort()
      .at(-1),
  )
  if (jars.includes(undefined) || spawnSync('javac', ['-version']).status !== 0) return undefined
  const classPath = jars.map(jar => join(jarFolder, jar!)).join(delimiter)
  const classes = mkdtempSync(join(tmpdir(), 'asof-bench-lucene-'))
  process.once('exit', () => rmSync(classes, { recursive: true, force: true }))
  const source = join(import.meta.dirname, 'lucene', `${program}.java`)
  const { status, stderr } = spawnSync('javac', ['-cp', classPath, '-d', classes, source], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`engines/lucene/${program}.java does not compile with ${classPath}:\n${stderr}`)
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr.split('\n')[0]
  return {
    args: [...JVM, '-cp', `${classPath}${delimiter}${classes}`, program],
    version: `${basename(jars[0]!)}, ${java}`,
    settings: `java ${JVM.join(' ')}`,
  }
}
