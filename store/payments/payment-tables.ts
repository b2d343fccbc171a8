import type { Migrations } from '../../database/index.ts'

/** The tables of payments in PostgreSQL. */
export const paymentTables: Migrations = {
  store: 'payments',
  steps: [
    `
  -- The secret of fingerprints and receipts, which all servers have in common.
  create table payment_secret (
    singleton boolean primary key default true check (singleton),
    secret text not null
  );

  -- A record is json, which keeps its text, so that texts can be compared. held_at is epoch ms.
  create table payment (
    id text collate "C" primary key,
    held_at bigint not null,
    is_open boolean not null,
    record json not null
  );
  create index payment_in_time on payment (held_at, id);
  create index payment_open on payment (id) where is_open;
  `,
  ],
}
