import { spawnSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'

/** The machine and the commit that a report belongs to. */
export interface Machine {
  system: string
  processor: string
  cores: number
  memoryBytes: number
  node: string
  /** Commit of asof, followed by "and changes" if files differ from it; empty outside a repository. */
  commit: string
}

export function machine(): Machine {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout?.trim() ?? ''
  return {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    commit: `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') && ' and changes'}`,
  }
}
