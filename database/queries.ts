import type { Sql, TransactionSql } from 'postgres'

/** A client of PostgreSQL. Columns of 64-bit integers are numbers. */
export type SqlClient = Sql<{ bigint: number }>
export type Transaction = TransactionSql<{ bigint: number }>
