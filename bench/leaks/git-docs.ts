import { basename, resolve } from 'node:path'
import { gitChanges } from '../apparatus/git-changes.ts'
import type { DocChange } from './doc-history.ts'

const TEXTS = ['*.md', '*.mdx', '*.txt', '*.rst', '*.adoc']

/** Reads the changes of the text files of a git repository. The instants are those of the commits. */
export function gitDocs(repository: string): DocChange[] {
  const host = basename(resolve(repository), '.git')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return gitChanges(repository, TEXTS).map(({ path, at, text }) => ({
    url: new URL(encodeURI(path), `https://${host}.example/`).href,
    at,
    title: text?.match(/^#+ +(.+)$/m)?.[1]?.trim() ?? path,
    text,
  }))
}
