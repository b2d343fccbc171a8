import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { crawlErrorCodes } from '../../crawler/errors.ts'
import { errorCodes } from '../../extract/errors/errors.ts'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = globSync('**/*.md', {
  cwd: root,
  exclude: path => /(^|\/)(node_modules|dist|data|fixtures)$/.test(path),
}).sort()

const layers = ['extract', 'encoder', 'core', 'crawler', 'service', 'store', 'transports']

/** The rooms of each layer: the folders directly in it. */
const rooms = layers.flatMap(layer =>
  readdirSync(join(root, layer), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => `${layer}/${name}`),
)

/** Folders that must have a README. */
const folders = [
  ...layers,
  ...rooms,
  'cluster',
  'database',
  'bench',
  'console',
  'corpora',
  'entries',
  'deploy',
  'examples',
  'examples/back-testing',
  'examples/shop',
  'packaging',
  'python',
  'test',
]

/** Returns the relative link targets of a document, without those in code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!).filter(target => !/^[a-z]+:/.test(target))
}

/** Returns the anchors that GitHub creates for the headings of a document. */
function anchorsOf(markdown: string): Set<string> {
  return new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

describe('the documents', () => {
  for (const document of documents) {
    it(`have no dead relative link in ${document}`, () => {
      const dead = linksOf(read(document)).filter(link => {
        const [path, anchor] = link.split('#', 2)
        const target = path ? join(dirname(document), path) : document
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)
      })
      expect(dead).toEqual([])
    })
  }

  for (const folder of folders) {
    it(`introduce ${folder} by a README that says what it is useful for`, () => {
      const path = `${folder}/README.md`
      expect(existsSync(join(root, path)), path).toBe(true)
      expect(read(path)).toMatch(/^(- )?Useful for: [\s\S]*^(- )?Not useful for: /m)
    })
  }

  for (const room of rooms) {
    const list = room.startsWith('core/') ? 'ARCHITECTURE.md' : `${dirname(room)}/README.md`
    it(`list ${room} in ${list}`, () => {
      const links = linksOf(read(list)).map(link => join(dirname(list), link))
      expect(links.filter(link => link.startsWith(`${room}/`))).not.toEqual([])
    })
  }

  for (const page of documents.filter(path => path.startsWith('docs/'))) {
    it(`give ${page} a title and a one-line description`, () => {
      expect(read(page)).toMatch(/^# .+\n\n[A-Z].+[.:]\n\n/)
    })

    it(`lead from the README to ${page}`, () => {
      expect(linksOf(read('README.md'))).toContain(page)
    })
  }

  it('explain every error code with its HTTP status, and no other', () => {
    const explained = [...read('docs/errors.md').matchAll(/^\| `(ASOF_\w+)` \| ([\d, or]+) \| \S.* \| \S.* \|$/gm)]
    const statuses = Object.entries({ ...errorCodes, ...crawlErrorCodes }).map(([code, { statusCode }]) => [
      code,
      // The statuses that depend on the target of the fetch.
      code === 'ASOF_FETCH_STATUS' ? '404, 422, 429 or 502' : String(statusCode),
    ])
    expect(explained.map(([, code, status]) => [code, status]).toSorted()).toEqual(statuses.toSorted())
  })

  it('mention only npm scripts that exist', () => {
    const mentioned = documents
      .flatMap(document => [...read(document).matchAll(/npm run ([a-z][a-z:-]*)/g)])
      .map(([, script]) => script!)
    expect(mentioned.filter(script => !Object.hasOwn(packageJson.scripts, script))).toEqual([])
  })
})
