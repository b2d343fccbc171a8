import { getSystemErrorMessage } from 'node:util'
import { isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import { CollectionError } from '../../../service/evaluate/index.ts'
import {
  type FieldProblem,
  fetchRequest,
  messageWithSaid,
  ServiceError,
  searchRequest,
} from '../../../service/index.ts'
import { ClientError } from '../../client/index.ts'
import { CommandFailure, UsageError } from '../command-failure.ts'
import { flagName } from '../flags.ts'

/**
 * Returns the words for an error of the operating system, or undefined for other errors. Errors of zlib have an `errno` too.
 */
function systemText(error: Error & { code?: unknown; errno?: unknown; path?: unknown }): string | undefined {
  const { code, errno } = error
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code) || typeof errno !== 'number' || errno >= 0)
    return undefined
  const words = code === 'EISDIR' ? 'it is a folder, not a file' : getSystemErrorMessage(errno)
  return typeof error.path === 'string' ? `${error.path}: ${words}` : words
}

/** The fields of requests that messages may name. On the command line they are flags. */
const fields = [...Object.keys(searchRequest.shape), ...Object.keys(fetchRequest.shape)].filter(name =>
  name.includes('_'),
)
const fieldNames = new RegExp(`\\b(?:${[...new Set(fields)].join('|')})\\b`, 'g')

/** The fields that commands take as an argument rather than a flag. `--url` is the address of a server. */
const argumentFields = ['url', 'query']

/** Replaces field names in a text by flags. Does not change quoted parts, which the user wrote. */
function inFlags(text: string): string {
  return text
    .split(/("[^"]*")/)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(fieldNames, flagName)
            .replace(/\blive=true\b/g, '--live')
            .replace(/\ball: true\b/g, '--all'),
    )
    .join('')
}

/** Names a bad field as the user knows it: by its flag if the command line has the flag, otherwise by the field's name. */
function inUsersNames({ path, ...problem }: FieldProblem, argv: readonly string[]): FieldProblem {
  // A list is written as one value, with commas.
  const flag = flagName(path.replace(/\[\d+\]$/, ''))
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

/** Returns a message of one part. */
function whole(message: string): FailureText {
  return { message, parts: [message] }
}

/** A failure as a command reports it. */
interface FailureText {
  message: string
  /** The message in parts: one for each bad field. */
  parts: string[]
  /** The bad fields, with their flags or names. */
  details?: unknown
}

/**
 * Returns the message of a failed command, with flags in place of field names. An unexpected error gets a general message,
 * because its own text comes from a library and may mean nothing to the user.
 */
export function failureText(error: unknown, argv: readonly string[]): FailureText {
  if (error instanceof ServiceError || error instanceof ClientError) {
    const { details } = error
    const message = messageWithSaid(error)
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
    return whole(messageWithSaid(error))
  }
  const message = isError(error) ? systemText(error) : undefined
  return whole(message ?? 'the command failed unexpectedly; run it with ASOF_TRACE=1 in the environment to see where')
}
