import { isError } from '@asof/extract/errors'

/** Patterns for error codes and messages of the system, with their meanings. LevelDB reports only the message. */
const meanings: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/ENOSPC|No space left|EDQUOT|Disk quota/i, 'the disk is full'],
  [/EFBIG|File too large/i, 'a file would exceed the size that the system allows'],
  [/EACCES|EPERM|Permission denied|Operation not permitted/i, 'this user may not read and write there'],
  [/EROFS|Read-only file system/i, 'the file system is read-only'],
  [/EMFILE|ENFILE|Too many open files/i, 'too many files are open'],
  [/ENOTDIR|Not a directory/i, 'a part of the path is not a folder'],
  [/EEXIST|EISDIR|Is a directory|File exists/i, 'a file or folder is in the way'],
  [/ENOENT|No such file/i, 'a file or folder is missing'],
  [/ENOMEM|Cannot allocate/i, 'there is not enough memory'],
]

/** Describes what is wrong with the disk or the folder. */
export function diskTrouble(error: unknown): string {
  for (let at = error, depth = 0; isError(at) && depth < 5; at = at.cause, depth++) {
    const text = `${'code' in at ? at.code : ''} ${at.message}`
    const found = meanings.find(([pattern]) => pattern.test(text))
    if (found) return found[1]
  }
  return 'the disk or the file system reported a failure'
}
