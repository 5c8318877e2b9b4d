/** The version tables: their columns as `tables/*.sql` makes them, and what tells one row from another. */

/** What every version carries beside its own columns: when it was known, and where in the log it stands. */
const stampColumns = ['known_at_ms', 'published_at_ms', 'log_partition', 'log_offset', 'tick_seq', 'withdrawn'] as const

const lpColumns = [
  'class',
  'insider_share',
  'burned_share',
  'contract_share',
  'other_share',
  'unknown_share',
  'first_add_at_ms',
  'lp_adds',
] as const

const burstKey = ['at_ms', 'pool', 'tier'] as const

/**
 * `naturalKey` names the row that later versions replace. A row whose key moves (a pool's creation time, a burst's
 * signal) is withdrawn under the old key and written under the new one. `order` is the table's own order up to the
 * offset: read along it, the versions of a row come one after the other and need no sort.
 */
export const versionTables = {
  ticks: {
    naturalKey: ['topic', 'tick_seq'],
    order: ['topic', 'known_at_ms', 'tick_seq'],
    columns: [
      'topic',
      'block_number',
      'block_hash',
      'block_at_ms',
      'eth_usd',
      'eth_usd_at_ms',
      'rules_version',
      'source',
    ],
  },
  pools: {
    naturalKey: ['created_at_ms', 'pool'],
    order: ['created_at_ms', 'pool'],
    columns: ['pool', 'token', 'dex', 'created_block', 'created_at_ms', 'px'],
  },
  pool_minutes: {
    naturalKey: ['pool', 'minute_at_ms'],
    order: ['intDiv(minute_at_ms, 3600000)', 'pool', 'minute_at_ms'],
    columns: ['pool', 'minute_at_ms', 'buy_wei', 'sell_wei', 'buys', 'sells', 'last_px', 'last_swap_at_ms', 'liq_eth'],
  },
  bursts: {
    naturalKey: burstKey,
    order: burstKey,
    columns: [
      'token',
      'pool',
      'tier',
      'at_ms',
      'dex',
      'block_number',
      'block_hash',
      'shape',
      'inflow_wei',
      'buys',
      'sells',
      'window_sec',
      'pool_created_at_ms',
      'same_size_max',
      'top3_share',
      'size_cv',
      'px',
      'supersedes_at_ms',
    ],
  },
  burst_buyers: { naturalKey: burstKey, order: burstKey, columns: ['pool', 'tier', 'at_ms', 'is_known', 'wallets'] },
  burst_lp: { naturalKey: burstKey, order: burstKey, columns: ['pool', 'tier', 'at_ms', ...lpColumns] },
  pool_profiles: {
    // The token of a pool never changes; as part of the key it may be asked for.
    naturalKey: ['token', 'created_at_ms', 'pool'],
    order: ['token', 'created_at_ms', 'pool'],
    columns: ['token', 'pool', 'created_at_ms', 'checked_at_ms', 'block_number', 'creator', ...lpColumns],
  },
  launch_curves: {
    naturalKey: ['token', 'curve', 'launched_at_ms'],
    order: ['token', 'curve', 'launched_at_ms'],
    columns: [
      'token',
      'curve',
      'launched_at_ms',
      'launchpad',
      'completed',
      'symbol',
      'creator',
      'launch_block',
      'grad_block',
      'graduation_wei',
      'reserve_wei',
      'phantom_wei',
      'supply_raw',
      'fee_bps',
      'read_block',
      'read_at_ms',
    ],
  },
  burst_outcomes: {
    naturalKey: burstKey,
    order: burstKey,
    columns: ['pool', 'tier', 'at_ms', 'ret_30m', 'peak_ret', 'rule_ret', 'exits', 'rug_at_sec', 'rug_lp_removed'],
  },
} as const

export type VersionTable = keyof typeof versionTables
export type NaturalKey<Table extends VersionTable> = (typeof versionTables)[Table]['naturalKey'][number]

export const versionTableNames = Object.keys(versionTables) as readonly VersionTable[]

/** Progress, not versions: one row for each partition and state. */
export const watermarkTable = 'watermarks'
export const watermarkColumns = ['topic', 'log_partition', 'state', 'seq', 'known_at_ms', 'next_offset'] as const

export const columnsOf = (table: VersionTable): readonly string[] => [...versionTables[table].columns, ...stampColumns]
