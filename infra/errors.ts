/**
 * The only error class of this project. It is for failures whose cause is outside the program. An expected result, such
 * as a refusal, is a returned value. A bug in our code fails an assertion. `code` names the kind of failure, and
 * `context` has its details. The context is logged, so it must not contain secrets.
 */
export class OperationError extends Error {
  readonly code: OperationErrorCode
  readonly context: Readonly<Record<string, unknown>>

  constructor(
    code: OperationErrorCode,
    message: string,
    details: Readonly<{
      context?: Readonly<Record<string, unknown>>
      cause?: unknown
    }> = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'OperationError'
    this.code = code
    this.context = details.context ?? {}
  }
}

export type OperationErrorCode =
  | 'config_invalid'
  | 'data_dir_in_use'
  | 'folder_unusable'
  | 'backup_invalid'
  | 'archive_invalid'
  | 'import_target_used'
  | 'restore_unfinished'
  | 'interrupted'
  | 'topic_unknown'
  | 'partition_out_of_range'
  | 'partition_count_changed'
  | 'value_too_large'
  | 'writer_fenced'
  | 'log_closed'
  | 'log_missing'
  | 'log_failed'
  | 'log_corrupt'
  | 'log_unavailable'
  | 'offset_out_of_range'
  | 'range_not_held'
  | 'replay_target_used'
  | 'schema_unknown'
  | 'schema_incompatible'
  | 'registry_unreachable'
  | 'registry_refused'
  | 'record_corrupt'
  | 'determinism_broken'
  | 'reorg_too_deep'
  | 'snapshot_corrupt'
  | 'dependency_missing'
  | 'node_unreachable'
  | 'node_refused'
  | 'node_inconsistent'
  | 'range_refused'
  | 'chain_mismatch'
  | 'database_failed'
  | 'migration_changed'
  | 'facilitator_failed'
  | 'provider_failed'
  | 'nothing_found'
  | 'payment_failed'
  | 'offer_refused'
  | 'spend_limit'
  | 'purchase_open'
  | 'request_refused'
  | 'service_unreachable'
  | 'cursor_refused'
  | 'stream_failed'
  | 'program_failed'
  | 'port_in_use'

export const isOperationError = (error: unknown, code?: OperationErrorCode): error is OperationError =>
  error instanceof OperationError && (code === undefined || error.code === code)

/**
 * Whether an error has a `code`. The errors of the operating system, of the database and of libraries have
 * one.
 */
export const hasCode = (error: unknown): error is { code: unknown } =>
  typeof error === 'object' && error !== null && 'code' in error
