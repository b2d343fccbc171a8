import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

export const OPENSEARCH_VERSION = '3.6.0'
/** OpenSearch 3 needs this version of Java or a later one. */
const JAVA_VERSION = 21
/** Time after which a download is given up, milliseconds. */
const DOWNLOAD_MS = 240_000

/** The folder of an installed OpenSearch, and where {@link installOpenSearch} puts it. */
export function openSearchHome(): string {
  const { ASOF_OPENSEARCH_HOME: named, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } = process.env
  return named || join(caches, 'asof', `opensearch-${OPENSEARCH_VERSION}`)
}

/** The home of a Java that OpenSearch runs on: `OPENSEARCH_JAVA_HOME`, `JAVA_HOME`, or one of Debian's folder of them. */
export function javaHome(): string | undefined {
  const root = '/usr/lib/jvm'
  const installed = existsSync(root) ? readdirSync(root).map(name => join(root, name)) : []
  const named = [process.env.OPENSEARCH_JAVA_HOME, process.env.JAVA_HOME].filter(home => home !== undefined)
  return [...named, ...installed].find(home => javaVersion(home) >= JAVA_VERSION)
}

function javaVersion(home: string): number {
  const release = join(home, 'release')
  if (!existsSync(release)) return 0
  return Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] ?? 0)
}

/** Says why tests that need OpenSearch are skipped; undefined if they can run. */
export function whyNoOpenSearch(): string | undefined {
  if (!javaHome()) return `no Java ${JAVA_VERSION} or later for OpenSearch: install one, or set OPENSEARCH_JAVA_HOME`
  if (!existsSync(openSearchHome()))
    return `no OpenSearch in ${openSearchHome()}: run "npm run test:cluster", which installs it, or set ASOF_OPENSEARCH_HOME`
  return undefined
}

/** Modules that need memory and are of no use here. */
const unused = ['ingest-geoip', 'ingest-user-agent', 'opensearch-dashboards', 'repository-url', 'geo']

/**
 * Installs OpenSearch from Maven Central, or from the mirror that the settings of Maven name. Its smallest distribution, the one for
 * integration tests, has all modules that asof uses. Does nothing if it is there.
 */
export async function installOpenSearch(): Promise<void> {
  const home = openSearchHome()
  if (existsSync(home)) return
  const folder = await mkdtemp(join(tmpdir(), 'asof-opensearch-'))
  try {
    const artifact = `org.opensearch.distribution.integ-test-zip:opensearch:${OPENSEARCH_VERSION}:zip`
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    execFileSync('mvn', ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
      stdio: 'inherit',
      timeout: DOWNLOAD_MS,
    })
    const zip = join(folder, `opensearch-${OPENSEARCH_VERSION}.zip`)
    execFileSync('unzip', ['-q', '-o', zip, '-d', folder], { stdio: 'inherit' })
    const unpacked = join(folder, `opensearch-${OPENSEARCH_VERSION}`)
    for (const name of unused) await rm(join(unpacked, 'modules', name), { recursive: true, force: true })
    await mkdir(join(home, '..'), { recursive: true })
    // The folder appears whole or not at all, also if another process installs it at the same time.
    const copied = await mkdtemp(`${home}-`)
    await cp(unpacked, copied, { recursive: true })
    await rename(copied, home).catch(async (error: unknown) => {
      await rm(copied, { recursive: true, force: true })
      if (!existsSync(home)) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
