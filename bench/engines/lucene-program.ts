import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { EngineProgram } from './program-process.ts'

export const howToGetLucene =
  'Skipping Lucene: install a JDK, 21 or newer (in JAVA_HOME, on the PATH or in /usr/lib/jvm), and Maven, which fetches the jars'

const OLDEST_JAVA = 21
const JVM = ['-Xmx2g', '--add-modules', 'jdk.incubator.vector', '--enable-native-access=ALL-UNNAMED']
/** Folder in which most packages of Linux install JDKs. */
const JDKS = '/usr/lib/jvm'

const sources = join(import.meta.dirname, 'lucene')
const pom = join(sources, 'pom.xml')
const version = readFileSync(pom, 'utf8').match(/<lucene\.version>(.+)<\/lucene\.version>/)![1]!
/** Folder of the jars, once they are fetched. */
export const luceneJars = join(import.meta.dirname, '..', 'dist', `lucene-${version}`)

/** A compiled program of engines/lucene. */
export interface LuceneProgram extends EngineProgram {
  /** Versions of Lucene and Java. */
  version: string
}

/** Compiles a program of engines/lucene; returns undefined if the JDK or Maven is missing. */
export function compileLucene(program: 'Bench' | 'Commits' | 'Quality'): LuceneProgram | undefined {
  const jdk = newestJdk()
  if (!jdk) return undefined
  if (!existsSync(join(luceneJars, `lucene-highlighter-${version}.jar`))) {
    console.error(`Fetching Lucene ${version} into ${luceneJars} (mvn) …`)
    const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${luceneJars}`]
    const { status, error } = spawnSync('mvn', args, { stdio: ['ignore', process.stderr, process.stderr] })
    if (error) return undefined
    if (status !== 0) throw new Error('Maven could not fetch Lucene: see its message above')
  }
  const classes = join(luceneJars, `java-${jdk.version}`)
  mkdirSync(classes, { recursive: true })
  const classPath = [join(luceneJars, '*'), classes].join(delimiter)
  const source = join(sources, `${program}.java`)
  const { status, stderr } = spawnSync(
    jdk.command('javac'),
    ['-cp', classPath, '-sourcepath', sources, '-d', classes, source],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0)
    throw new Error(`engines/lucene/${program}.java does not compile with Lucene ${version}:\n${stderr}`)
  const versions = `${version}, Java ${jdk.version}`
  return {
    command: jdk.command('java'),
    args: [...JVM, '-cp', classPath, program],
    version: versions,
    settings: `Lucene (${versions}): title and text in one field, EnglishAnalyzer (Porter) without stop words, BM25 with asof's k1 and b, positions and offsets, text stored (LZ4); one indexing thread, addDocument, 16 MB buffer, merges in the background (defaults), one commit at the end, then one segment (not timed); block-max WAND (hits counted up to the limit), no query cache; dates as points and doc values with a skip index; snippets by UnifiedHighlighter from the stored text and the offsets of the postings, one passage closest to 600 characters between two full stops, settings for speed (no WEIGHT_MATCHES, no PASSAGE_RELEVANCY_OVER_SPEED); CPU of the asking thread; java ${JVM.join(' ')}`,
  }
}

interface Jdk {
  version: string
  /** Returns the path of a program of the JDK. */
  command(name: string): string
}

function newestJdk(): Jdk | undefined {
  const homes = existsSync(JDKS) ? readdirSync(JDKS).map(name => join(JDKS, name)) : []
  if (process.env.JAVA_HOME !== undefined) homes.unshift(process.env.JAVA_HOME)
  const commands = [(name: string) => name, ...homes.map(home => (name: string) => join(home, 'bin', name))]
  return commands
    .map(command => ({
      command,
      version:
        spawnSync(command('javac'), ['-version'], { encoding: 'utf8' }).stdout?.match(/javac ([\d.]+)/)?.[1] ?? '0',
    }))
    .filter(({ version }) => Number.parseInt(version, 10) >= OLDEST_JAVA)
    .sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0]
}
