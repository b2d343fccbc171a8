import { getSystemErrorMessage } from 'node:util'
import { isAsofError } from '@asof/core'
import { CollectionError } from '../../../service/evaluate/index.ts'
import { type FieldProblem, fetchRequest, ServiceError, searchRequest } from '../../../service/index.ts'
import { ClientError } from '../../client/index.ts'
import { CommandFailure, UsageError } from '../command-failure.ts'
import { flagName } from '../flags.ts'

/** Returns the words for an error of the operating system. Node and zlib have errors with an `errno` of their own. */
function systemText(error: Error & { code?: unknown; errno?: unknown; path?: unknown }): string | undefined {
  const { code, errno } = error
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code) || typeof errno !== 'number' || errno >= 0)
    return undefined
  const words = code === 'EISDIR' ? 'it is a folder, not a file' : getSystemErrorMessage(errno)
  return typeof error.path === 'string' ? `${error.path}: ${words}` : words
}

/** The fields of requests that messages mention and that are flags on the command line. */
const fields = [...Object.keys(searchRequest.shape), ...Object.keys(fetchRequest.shape)].filter(name =>
  name.includes('_'),
)
const fieldNames = new RegExp(`\\b(?:${[...new Set(fields)].join('|')})\\b`, 'g')

/** The fields that commands take as an argument rather than a flag. `--url` is the address of a server. */
const argumentFields = ['url', 'query']

/** The text with flags in place of field names. Quoted parts, which come from the user, are not changed. */
function inFlags(text: string): string {
  return text
    .split(/("[^"]*")/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(fieldNames, flagName).replace(/\blive=true\b/g, '--live')))
    .join('')
}

/** A bad field under the name that the user knows: its flag if the command line has it, and otherwise the field's name. */
function inUsersNames({ path, ...problem }: FieldProblem, argv: readonly string[]): FieldProblem {
  const flag = flagName(path)
  const isFlag = !argumentFields.includes(path) && argv.some(word => word === flag || word.startsWith(`${flag}=`))
  return { path: isFlag ? flag : path, ...problem, reason: inFlags(problem.reason) }
}

function isProblems(details: unknown): details is FieldProblem[] {
  return (
    Array.isArray(details) &&
    details.length > 0 &&
    details.every(({ path, reason }) => typeof path === 'string' && typeof reason === 'string')
  )
}

/** A message of one part. */
function whole(message: string): FailureText {
  return { message, parts: [message] }
}

/** A failure as a command reports it. */
interface FailureText {
  message: string
  /** The message in parts: one for each bad field. */
  parts: string[]
  /** The bad fields, under the names that the user knows. */
  details?: unknown
}

/**
 * The message of a failed command, with flags in place of field names. An unexpected failure gets a general message:
 * its own text is a library's, and may be meaningless to the user.
 */
export function failureText(error: unknown, argv: readonly string[]): FailureText {
  if (error instanceof ServiceError || error instanceof ClientError) {
    const { message, details } = error
    if (!isProblems(details)) return { ...whole(inFlags(message)), details }
    const problems = details.map(problem => inUsersNames(problem, argv))
    const parts = problems.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`))
    return { message: parts.join('; '), parts, details: problems }
  }
  if (
    error instanceof UsageError ||
    error instanceof CollectionError ||
    error instanceof CommandFailure ||
    isAsofError(error)
  ) {
    return whole(error.message)
  }
  const message = error instanceof Error ? systemText(error) : undefined
  return whole(message ?? 'the command failed unexpectedly; run it with ASOF_TRACE=1 in the environment to see where')
}
