import type { Access } from '../accounts/index.ts'
import type { OwnLedger } from './ledger-copy.ts'
import type { ServiceDatabase } from './service-database.ts'

/** Where a part of a data folder keeps what it stores, and what it uses of the folder. */
export interface PartPlace {
  /** The data folder. */
  dir: string
  /** The database that several servers share. Undefined: everything is in the folder. */
  database: ServiceDatabase | undefined
  /** Returns the accounts, which the first call opens. */
  access(): Promise<Access>
  /** The current time, epoch ms. */
  now(): number
  /** Called with lines for the operator. */
  onNotice(line: string): void
}

/** What an operation of a part can use besides its arguments. */
export interface PartRun {
  /** Sends progress to the caller. Resolves when the caller is ready for more. */
  onProgress: (progress: unknown) => void | Promise<void>
  /** Aborts when the caller asks for it or disconnects. */
  signal?: AbortSignal | undefined
}

/** An operation that another process can ask for, by the socket of the folder. Arguments and results are plain JSON. */
export type PartOperation = (args: never, run: PartRun) => Promise<unknown>

/** A part of a data folder that is open. */
export interface OpenedPart {
  /** What other processes can ask for, by name. */
  readonly operations: Readonly<Record<string, PartOperation>>
  /** Opens the ledgers of this part for a backup. Returns none for those that do not exist, or are in a database. */
  ledgers(): Promise<readonly OwnLedger[]>
  /** Called when the folder is closed. */
  close(): Promise<void>
}

/** A part of a data folder that another room adds, such as what a store has sold. */
export interface FolderPart<Opened extends OpenedPart = OpenedPart> {
  /** Called when a process opens the folder. Reads and writes nothing yet. */
  open(place: PartPlace): Opened
}
