import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitDocs } from '../../../bench/leaks/git-docs.ts'

it('reads texts with their headings, the instants of their commits and removals', () => {
  const root = mkdtempSync(join(tmpdir(), 'asof-git-'))
  const repository = join(root, 'The_Docs')
  const commit = (seconds: number) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@a.example', '-c', 'commit.gpgsign=false']
    const env = { ...process.env, GIT_AUTHOR_DATE: `${seconds} +0000`, GIT_COMMITTER_DATE: `${seconds} +0000` }
    execFileSync('git', ['-C', repository, 'add', '-A'], { env })
    execFileSync('git', ['-C', repository, ...identity, 'commit', '-qm', 'a'], { env })
  }
  try {
    execFileSync('git', ['init', '-q', repository])
    mkdirSync(join(repository, 'guide'))
    writeFileSync(join(repository, 'guide', 'a b.md'), 'Preface\n\n# Pools\n\nfive')
    writeFileSync(join(repository, 'code.ts'), 'code')
    commit(1_600_000_000)
    rmSync(join(repository, 'guide', 'a b.md'))
    commit(1_700_000_000)
    const url = 'https://the-docs.example/guide/a%20b.md'
    expect(gitDocs(repository)).toEqual([
      { url, at: 1_600_000_000_000, title: 'Pools', text: 'Preface\n\n# Pools\n\nfive' },
      { url, at: 1_700_000_000_000, title: 'guide/a b.md', text: undefined },
    ])
  } finally {
    rmSync(root, { recursive: true })
  }
})
