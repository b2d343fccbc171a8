import type { Migrations, SharedDatabase } from '../../../database/index.ts'
import { MAX_USED_PROOFS, type ProofUse, type UsedProofs } from './used-proofs.ts'

const proofTables: Migrations = {
  store: 'proofs',
  steps: [
    `
  -- expires_at is epoch ms.
  create table used_proof (id text collate "C" primary key, expires_at bigint not null);
  create index used_proof_expiry on used_proof (expires_at);
  `,
  ],
}

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
      await tx`delete from used_proof where expires_at <= ${this.#now()}`
      const [known] = await tx`select from used_proof where id = ${proof}`
      if (known) return 'repeated'
      const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`select count(*) as count from used_proof`
      if (count >= MAX_USED_PROOFS) return 'full'
      const first = await tx`insert into used_proof values (${proof}, ${expiresAt}) on conflict do nothing returning id`
      return first.length > 0 ? 'first' : 'repeated'
    })
  }

  async close(): Promise<void> {}
}
