import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitHistories } from '../../../bench/quotes/git-histories.ts'

it('reads what each text file of a repository said, until it was removed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'asof-git-'))
  const commit = (seconds: number) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@a.example', '-c', 'commit.gpgsign=false']
    const env = { ...process.env, GIT_AUTHOR_DATE: `${seconds} +0000`, GIT_COMMITTER_DATE: `${seconds} +0000` }
    execFileSync('git', ['-C', dir, 'add', '-A'], { env })
    execFileSync('git', ['-C', dir, ...identity, 'commit', '-qm', 'a'], { env })
  }
  try {
    execFileSync('git', ['init', '-q', dir])
    writeFileSync(join(dir, 'a.md'), 'one\ntwo')
    writeFileSync(join(dir, 'b.md'), 'zwölf')
    writeFileSync(join(dir, 'c.ts'), 'code')
    commit(1_600_000_000)
    writeFileSync(join(dir, 'a.md'), 'one 2')
    commit(1_600_000_000)
    rmSync(join(dir, 'a.md'))
    commit(1_700_000_000)
    const url = 'https://git.example/a.md'
    const at = 1_600_000_000_000
    expect(gitHistories(dir, 9)).toEqual([
      {
        page: {
          url,
          versions: [
            { at, sentences: [['one', 'two']] },
            { at: at + 1, sentences: [['one', '2']] },
            { at: 1_700_000_000_000 },
          ],
        },
        observations: [
          { url, title: url, acquiredAt: at, text: 'one\ntwo' },
          { url, title: url, acquiredAt: at + 1, text: 'one 2' },
          { url, removedAt: 1_700_000_000_000 },
        ],
      },
    ])
    expect(gitHistories(dir, 1)).toHaveLength(1)
  } finally {
    rmSync(dir, { recursive: true })
  }
})
