import { type Migrations, only, type SharedDatabase } from '../../database/index.ts'
import { MAX_USED_PROOFS, type ProofUse, type UsedProofs } from './used-proofs.ts'

const proofTables: Migrations = {
  store: 'proofs',
  steps: [
    `
  -- expires_at is epoch ms. sequence is the order in which the proofs were used.
  create table used_proof (
    id text collate "C" primary key,
    expires_at bigint not null,
    sequence bigint generated always as identity unique
  );
  create index used_proof_expiry on used_proof (expires_at);
  `,
  ],
}

/** How far the clocks of servers may differ, ms: so long a proof is kept after it has expired by the clock of one of them. */
const CLOCKS_DIFFER_MS = 60_000

/** The used proofs in a PostgreSQL database, so that a proof that one server took is used for all. */
export class PostgresProofs implements UsedProofs {
  readonly #database: SharedDatabase
  readonly #now: () => number

  private constructor(database: SharedDatabase, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** Creates or upgrades the table. The database stays open. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  static async open(database: SharedDatabase, now: () => number): Promise<PostgresProofs> {
    await database.migrate(proofTables)
    return new PostgresProofs(database, now)
  }

  async use(proof: string, expiresAt: number): Promise<ProofUse> {
    return await this.#database.transaction(async tx => {
      await tx`delete from used_proof where expires_at <= ${this.#now() - CLOCKS_DIFFER_MS}`
      const [known] = await tx`select from used_proof where id = ${proof}`
      if (known) return 'repeated'
      // The proofs between the first and the last one are no fewer than all of them, and need not be counted.
      const { most } = only(
        await tx<{ most: number }[]>`
          select coalesce(max(sequence) - min(sequence) + 1, 0)::bigint as most from used_proof`,
      )
      if (most >= MAX_USED_PROOFS) return 'full'
      const first = await tx`
        insert into used_proof (id, expires_at) values (${proof}, ${expiresAt}) on conflict do nothing returning id`
      return first.length > 0 ? 'first' : 'repeated'
    })
  }

  async close(): Promise<void> {}
}
