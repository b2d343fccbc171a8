import { isAsofError } from '@asof/core'
import { ClientError } from '../../client/index.ts'
import { type FieldProblem, fetchRequest, ServiceError, searchRequest } from '../../service/index.ts'
import { CommandFailure } from '../command-failure.ts'
import { UsageError } from '../usage-error.ts'

/** What the system's codes mean to somebody at a terminal. */
const systemWords: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a file or folder is in the way',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links lead in a circle',
}

function systemText(error: Error & { code?: unknown; path?: unknown }): string | undefined {
  if (typeof error.code !== 'string' || !/^E[A-Z0-9]+$/.test(error.code)) return undefined
  const words = systemWords[error.code] ?? 'the system reported a failure'
  return typeof error.path === 'string' ? `${error.path}: ${words}` : words
}

/** Names of fields that a message may mention; on the command line they are flags. */
const fields = [...Object.keys(searchRequest.shape), ...Object.keys(fetchRequest.shape)].filter(name =>
  name.includes('_'),
)
const fieldNames = new RegExp(`\\b(?:${[...new Set(fields)].join('|')})\\b`, 'g')

function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`
}

/** A text with the flags that fields are given by. What it quotes of the user's stays as it is. */
function inFlags(text: string): string {
  return text
    .split(/("[^"]*")/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(fieldNames, flagOf).replace(/\blive=true\b/g, '--live')))
    .join('')
}

/** A bad field under the name that the user gave it: its flag, or its own where it was given without one. */
function inUsersNames({ path, ...problem }: FieldProblem, argv: readonly string[]): FieldProblem {
  const flag = flagOf(path)
  const isFlag = argv.some(word => word === flag || word.startsWith(`${flag}=`))
  return { path: isFlag ? flag : path, ...problem, reason: inFlags(problem.reason) }
}

function isProblems(details: unknown): details is FieldProblem[] {
  return (
    Array.isArray(details) &&
    details.length > 0 &&
    details.every(({ path, reason }) => typeof path === 'string' && typeof reason === 'string')
  )
}

/** A failure as a command reports it. */
export interface FailureText {
  message: string
  /** The bad fields, under the names that the user gave them. */
  details?: unknown
}

/**
 * What a failed command says, in our own words and in the names that its user knows. Of a failure that none of us foresaw it
 * says no more than where to look.
 */
export function failureText(error: unknown, argv: readonly string[]): FailureText {
  if (error instanceof ServiceError || error instanceof ClientError) {
    const { message, details } = error
    if (!isProblems(details)) return { message: inFlags(message), ...(details !== undefined && { details }) }
    const problems = details.map(problem => inUsersNames(problem, argv))
    const told = problems.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')
    return { message: told, details: problems }
  }
  if (error instanceof UsageError || error instanceof CommandFailure || isAsofError(error)) {
    return { message: error.message }
  }
  const message = error instanceof Error ? systemText(error) : undefined
  return { message: message ?? 'the command failed unexpectedly; set ASOF_TRACE=1 to see where' }
}
