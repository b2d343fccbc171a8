import type { Migrations } from '../../database/index.ts'

/** The tables of feedback in PostgreSQL. Keys are hashes, because a query or a URL can be too long for an index. */
export const feedbackTables: Migrations = {
  store: 'feedback',
  steps: [
    `
  -- A submission is json and not jsonb, which cannot hold every string.
  create table feedback (
    sequence bigint generated always as identity primary key,
    submission json not null
  );

  -- The latest judgment of an organization on a URL for a query.
  create table feedback_latest (
    id text collate "C" primary key,
    sequence bigint not null
  );

  -- A page to fetch again has wanted_at, the instant of the feedback; one that was fetched again has fetched_at. Both are epoch ms. The
  -- server "taker" is fetching it until "taken_until".
  create table feedback_refetch (
    id uuid primary key,
    url text not null,
    wanted_at bigint,
    fetched_at bigint,
    taker uuid,
    taken_until timestamptz
  );
  create index feedback_refetch_wanted on feedback_refetch (wanted_at) where wanted_at is not null;
  `,
  ],
}
