import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const workflows = globSync('.github/workflows/*.yml', { cwd: root })
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The text of each job of a workflow. */
function jobsOf(workflow: string): Map<string, string> {
  const jobs = workflow.slice(workflow.indexOf('\njobs:\n') + '\njobs:'.length)
  const [, ...parts] = jobs.split(/^ {2}(\w+):$/m)
  return new Map(parts.flatMap((name, i) => (i % 2 === 0 ? [[name, parts[i + 1] ?? '']] : [])))
}

describe.each(workflows)('the workflow %s', path => {
  const workflow = read(path)

  it('names each action by a commit, and beside it its version', () => {
    const actions = workflow.match(/uses: .+/g) ?? []
    expect(actions.length).toBeGreaterThan(0)
    const local = 'uses: ./.github/workflows/ci.yml'
    const loose = actions.filter(line => line !== local && !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
    expect(loose).toEqual([])
  })

  it('may write nothing unless a job says so, and names no registry', () => {
    expect(workflow).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)\n\n/m)
    expect(workflow).not.toMatch(/npmjs|ghcr|docker\.io|registry-url/)
    // A token that is left in the clone could be read by what the job runs.
    expect(workflow.match(/persist-credentials: false/g)?.length).toBe(workflow.match(/actions\/checkout@/g)?.length)
  })
})

describe('the workflow of a release', () => {
  const jobs = jobsOf(read('.github/workflows/release.yml'))

  it('runs the Node.js that the repository pins', () => {
    const versions = [...jobs.values()].flatMap(job =>
      [...job.matchAll(/node-version: (.+)/g)].map(([, found]) => found),
    )
    expect([...new Set(versions)]).toEqual([packageJson.devDependencies.node])
  })

  it('signs only where it publishes, which runs no code of other packages', () => {
    const signing = [...jobs].filter(([, job]) => job.includes('id-token: write'))
    expect(signing.map(([name]) => name)).toEqual(['npm'])
    for (const name of ['check', 'npm', 'release', 'image']) expect(jobs.get(name)).not.toMatch(/npm (?:ci|install)/)
  })

  it('publishes nothing before everything was tested', () => {
    expect(jobs.get('npm')).toMatch(/^ {4}needs: \[ci, packages\]$/m)
    for (const name of ['release', 'image']) expect(jobs.get(name)).toMatch(/^ {4}needs: npm$/m)
  })
})

it('the units are tested on the oldest release of Node.js that the packages accept, and on the one that the repository pins', () => {
  const [, listed = ''] = /^ {8}node: \[(.+)\]$/m.exec(read('.github/workflows/ci.yml')) ?? []
  const majors = listed.split(', ')
  const majorOf = (version: string) => /\d+/.exec(version)?.[0]
  expect(majors[0]).toBe(majorOf(packageJson.engines.node))
  expect(majors).toContain(majorOf(packageJson.devDependencies.node))
})
