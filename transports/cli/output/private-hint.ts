/** Said to the operator wherever an address was refused (ASOF_ADDRESS_REFUSED). */
export const privateHint =
  'loopback and private addresses need --allow-private, given to the server where one holds the data folder'
